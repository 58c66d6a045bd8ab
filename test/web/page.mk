# SPDX-License-Identifier: Apache-2.0
# Checks of the page's scripts without a browser.
.PHONY: check-page-types check-page-units
check-page-types: check-page-units ## the page's scripts as TypeScript reads them, and their functions (installs node and tsc)
	sh test/web/types.sh
check-page-units:
	sh tools/setup.sh page
	node --test test/web/

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the lines of standard input as a C string literal, which compilers read many times as fast as a list of numbers.
# Question marks are escaped, as two of them may begin a trigraph.
LC_ALL=C exec sed 's/[\\"?]/\\&/g; s/.*/"&\\n"/'

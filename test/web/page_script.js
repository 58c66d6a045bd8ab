// SPDX-License-Identifier: Apache-2.0
// The page's functions, for tests without a browser: its scripts in one scope as web/bundle.sh joins them, without what
// draws at once (main.js).
"use strict";
const fs = require("node:fs");
const path = require("node:path");

/** What the scripts ask the browser for when they are read. */
const browser = { matchMedia: () => ({ matches: false, addEventListener() {} }), location: { hash: "" } };

const folder = path.join(__dirname, "../../web/page");

/**
 * @param {...string} names of functions and constants of web/page/*.js
 * @returns {Object<string, any>}
 */
function pageFunctions(...names) {
    const files = fs.readFileSync(path.join(folder, "files"), "utf8").split("\n")
        .filter((name) => name.endsWith(".js") && !name.startsWith("#") && name !== "main.js");
    const script = files.map((name) => fs.readFileSync(path.join(folder, name), "utf8")).join("");
    const body = `"use strict";\n${script}\nreturn { ${names.join(", ")} };`;
    return new Function(...Object.keys(browser), body)(...Object.values(browser));
}

module.exports = { pageFunctions };

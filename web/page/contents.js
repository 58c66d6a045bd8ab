/* SPDX-License-Identifier: Apache-2.0 */
/* The list of sections, which stays at the top and marks the one in sight; and the first links of the page. */

/** A link to a section, which leaves the address as it is. @param {{id: string, title: string}} section */
function sectionLink(section, attributes) {
    return element("a", { href: `#section-${section.id}`, ...attributes, onclick: (event) => {
        event.preventDefault();
        goToSection(section.id);
    } }, section.title);
}

/** For the keyboard: past the header. */
function skipLinks() {
    return element("div", { class: "skips" }, sectionLink({ id: "verdict", title: "Skip to the verdict" },
        { class: "skip" }),
        sectionLink({ id: "nodes", title: "Skip to the nodes" }, { class: "skip" }));
}

/** @param {HTMLElement} contents @param {{id: string, title: string}[]} shown @param {Context} context */
function listContents(contents, shown, context) {
    const links = new Map(shown.map((section) => [`section-${section.id}`, sectionLink(section, {})]));
    contents.append(element("ul", {}, [...links].map(([id, link]) => element("li", { "data-for": id }, link))));
    const observer = new IntersectionObserver((entries) => {
        for (const entry of entries) {
            const link = links.get(entry.target.id);
            if (entry.isIntersecting) link.setAttribute("aria-current", "true");
            else link.removeAttribute("aria-current");
        }
    }, { rootMargin: "-25% 0px -74% 0px" }); /* a line in the upper part of the window */
    for (const { id } of shown) {
        const part = document.getElementById(`section-${id}`);
        if (part && id !== "details") observer.observe(part);
    }
    context.onRemove(() => observer.disconnect());
}

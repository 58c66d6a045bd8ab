/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions and what stands between them: sizes, memory, what passes their borders and what ends them. */

/** So many rows of a table are drawn at first. */
const ROWS_AT_FIRST = 24;

/**
 * @typedef {Object} Column
 * @property {string} title
 * @property {(row: any) => any} cell text, element or null where it is not known
 * @property {(row: any) => any} [value] to sort by: a number or a text; null goes last
 * @property {string} [kind] class of its cells
 */

/**
 * A table that is sorted by a click on a title; the first rows, and all by a button.
 * @param {string} label @param {Column[]} columns @param {any[]} rows @param {(row: any) => object} [attributesOf]
 */
function sortedTable(label, columns, rows, attributesOf = () => ({})) {
    const body = element("tbody", {});
    const more = element("button", { type: "button", class: "small", onclick: () => fill(rows.length) });
    let shown = rows, by = null, direction = 1;
    const fill = (most) => {
        body.replaceChildren(...shown.slice(0, most).map((row) => element("tr", attributesOf(row),
            columns.map((column) => tableCell(column, row)))));
        more.hidden = most >= rows.length;
        more.textContent = `Show all ${rows.length.toLocaleString("en")} rows`;
    };
    const sorter = (column) => element("button", { type: "button", class: "link sort", onclick: () => sort(column) },
        column.title);
    const heads = columns.map((column) => element("th", { scope: "col", class: column.kind, "aria-sort": "none" },
        column.value ? sorter(column) : column.title));
    const sort = (column) => {
        direction = by === column ? -direction : column.kind === "number" ? -1 : 1;
        by = column;
        shown = [...rows].sort((one, other) => compareCells(column.value(one), column.value(other), direction));
        heads.forEach((head, at) => head.setAttribute("aria-sort", columns[at] !== by ? "none"
            : direction > 0 ? "ascending" : "descending"));
        fill(body.childElementCount);
    };
    fill(Math.min(rows.length, ROWS_AT_FIRST));
    return element("div", {}, element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
        element("table", { class: "partition-table" }, element("thead", {}, element("tr", {}, heads)), body)), more);
}

function tableCell(column, row) {
    const content = column.cell(row);
    return element("td", { class: column.kind }, content === null || content === undefined ? unknownMark() : content);
}

function compareCells(one, other, direction) {
    const isNone = (value) => value === null || value === undefined || Number.isNaN(value);
    if (isNone(one) || isNone(other)) return Number(isNone(one)) - Number(isNone(other));
    return direction * (one < other ? -1 : one > other ? 1 : 0);
}

/** Rows in execution order: each partition once, and each run of other nodes. */
function partitionRows(context) {
    const { target, graph } = context;
    const segments = laneSegments(graph), ends = partitionEnds(segments), transfers = partitionTransfers(target);
    const memory = new Map((target.memory && target.memory.partitions || []).map((item) => [item.id, item]));
    const rows = [], times = handOverTimes(target);
    segments.forEach((segment, index) => {
        if (segment.partition < 0) {
            rows.push(otherRow(context, segment, rows.length));
        } else if (ends.get(segment.partition).first === index) {
            const partition = target.partitions[segment.partition], transfer = transfers[segment.partition];
            rows.push({ at: rows.length, partition: segment.partition, segment, ids: partition.nodes, lane: LANE_NPU,
                handOver: times ? times[segment.partition].in + times[segment.partition].out : null,
                macs: partition.macs, time: timeOfNodes(graph, partition.nodes), memory: memory.get(segment.partition),
                in: addTransfers(transfer.in.cpu, transfer.in.npu), end: partitionEnd(target, partition),
                out: addTransfers(transfer.out.cpu, transfer.out.npu), endIds: partition.cause_of_end || [] });
        }
    });
    return rows;
}

function otherRow(context, segment, at) {
    const ids = Array.from(context.graph.order.subarray(segment.from, segment.to));
    const macs = ids.reduce((sum, id) => sum + context.graph.macs[id], 0);
    return { at, partition: -1, segment, ids, lane: segment.lane, macs: Number.isFinite(macs) ? macs : null,
        time: timeOfNodes(context.graph, ids) };
}

/** What a row is called. A partition's name is a button that shows it in the swim-lane. */
function partitionName(context, row) {
    const show = () => showInLane(context, row);
    const verdict = context.graph.verdict[row.ids[0]];
    const text = row.partition >= 0 ? `Partition ${row.partition}`
        : `${verdictTexts[verdict]}: ${opNames(context.graph.nodes, row.ids)}`;
    const sign = element("span", { class: `sign verdict-${verdictWords[verdict]}`, "aria-hidden": "true" },
        verdictSigns[verdict]);
    return [element("button", { type: "button", class: "link one-line", title: text, onclick: show }, sign, ` ${text}`),
        row.equal > 1 ? element("span", { class: "muted equal-rows" }, `\u00d7 ${row.equal}`) : null];
}

function showInLane(context, row) {
    const lane = context.lane;
    if (!lane) return;
    context.goTo("lane");
    if (row.partition >= 0) lane.showPartition(row.partition);
    else lane.showPlaces(row.segment.from, row.segment.to);
}

/** A lower bound as short as a table needs it. */
function boundText(text) {
    return text.replace(/^at least /, "\u2265 ");
}

function transferCell(sum) {
    if (!sum) return "";
    if (!sum.tensors) return element("span", { class: "muted" }, "none");
    const size = sum.unknown && !sum.bytes ? unknownMark() : boundText(transferText(sum));
    return element("span", { title: transferText(sum) }, size, element("br", {}),
        element("span", { class: "muted" }, countText(sum.tensors, "tensor")));
}

/** What ends a partition: the nodes themselves, and why. */
function endCell(context, row) {
    if (!row.end) return "";
    if (!row.end.title) return element("span", { class: "muted" }, "end of the graph");
    const cause = row.end.cause >= 0 ? null : element("div", { class: "partition-cause one-line",
        title: plainText(row.end.text) }, sentence(row.end.text));
    if (!row.endIds.length) return element("div", { class: "partition-end" }, plainText(row.end.title), cause);
    const id = row.endIds[0], rest = row.endIds.length - 1;
    const by = row.end.cause >= 0 ? element("button", { type: "button", class: "link cause-link",
        "aria-label": `Cause ${row.end.cause + 1}: ${plainText(row.end.text)}`, title: plainText(row.end.text),
        onclick: () => goToCause(context, context.target.causes[row.end.cause].id) }, causeBadge(row.end.cause)) : null;
    return element("div", { class: "partition-end" }, by, " ",
        element("button", { type: "button", class: "link", title: nodeName(context.graph.nodes[id], id),
            onclick: () => context.select(id) }, plainText(context.graph.nodes[id].op)),
        rest ? element("span", { class: "muted" }, ` and ${countText(rest, "other node")}`) : null, cause);
}

/** @returns {Column[]} */
function partitionColumns(context, macs, rows) {
    const share = (row) => (macs && row.macs !== null ? row.macs / macs : null);
    const fits = (row) => (row.memory ? row.memory.fits_on_chip : undefined);
    const bytes = (name) => ({ kind: "number", value: (row) => (row.memory ? row.memory[name] : null),
        cell: (row) => (row.partition < 0 ? "" : row.memory && row.memory[name] !== null
            ? bytesText(row.memory[name]) : null) });
    const columns = [
        { title: "In order", value: (row) => row.at, cell: (row) => partitionName(context, row), kind: "name" },
        { title: "Nodes", value: (row) => row.ids.length, kind: "number",
            cell: (row) => row.ids.length.toLocaleString("en") },
        { title: "MACs", value: share, kind: "number",
            cell: (row) => (share(row) === null ? null : shareText(share(row))) },
        { title: "Time", value: (row) => row.time.ms, kind: "number",
            cell: (row) => (row.time.unknown && !row.time.ms ? null : boundText(timeText(row.time))) },
        { title: "Hand-overs", value: (row) => (row.handOver === null ? null : row.handOver), kind: "number",
            cell: (row) => (row.partition < 0 ? "" : row.handOver === null ? null : milliseconds(row.handOver)) },
        { title: "In", value: (row) => (row.in ? row.in.bytes : null), kind: "number",
            cell: (row) => transferCell(row.in) },
        { title: "Out", value: (row) => (row.out ? row.out.bytes : null), kind: "number",
            cell: (row) => transferCell(row.out) },
        { title: "Weights", ...bytes("weight_bytes") },
        { title: "Peak", ...bytes("peak_bytes") },
        { title: "On chip", value: (row) => (typeof fits(row) === "boolean" ? Number(fits(row)) : null),
            cell: (row) => (row.partition < 0 ? "" : fits(row) === true ? "yes" : fits(row) === false ? "no" : null) },
        { title: "Ended by", cell: (row) => endCell(context, row), kind: "end" },
    ];
    return columns.filter((column) => rows.some((row) => row.partition >= 0 && column.cell(row) !== null));
}

/** How many partitions there are of each size: `{label, from, count, nodes}` by powers of two. */
function partitionSizes(partitions) {
    const classes = [];
    for (const partition of partitions) {
        const power = Math.max(0, Math.floor(Math.log2(partition.nodes.length)));
        for (let at = classes.length; at <= power; at++) {
            const from = 2 ** at, to = 2 * from - 1;
            classes.push({ label: at ? `${from.toLocaleString("en")} to ${to.toLocaleString("en")} nodes` : "1 node",
                count: 0, nodes: 0 });
        }
        classes[power].count++;
        classes[power].nodes += partition.nodes.length;
    }
    return classes;
}

/** Bars of the sizes, with the numbers beside them. */
function sizesList(partitions) {
    const all = partitionSizes(partitions), sizes = all.slice(all.findIndex((size) => size.count > 0));
    const most = Math.max(...sizes.map((size) => size.count));
    return element("ul", { class: "partition-sizes", "aria-label": "Partitions by size" }, sizes.map((size) =>
        element("li", {}, element("span", { class: "number" }, size.label), shareBar(size.count / most),
            element("span", {}, countText(size.count, "partition")))));
}

/** "7 partitions, of 1 to 120 nodes; half of their 300 nodes are in the largest 2" */
function sizesText(partitions) {
    const sizes = partitions.map((partition) => partition.nodes.length).sort((one, other) => other - one);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    let count = 0;
    for (let sum = 0; sum * 2 < all; count++) sum += sizes[count];
    if (sizes.length === 1) return `1 partition of ${countText(all, "node")}.`;
    const largest = count === 1 ? "the largest" : `the ${count} largest`;
    return `${countText(sizes.length, "partition")} of ${sizes[sizes.length - 1].toLocaleString("en")} to `
        + `${countText(sizes[0], "node")}; half of all ${countText(all, "node")} or more are in ${largest}.`;
}

const partitionNote = "MACs: share of the model's. Peak: of activations, boundary tensors included. On chip: whether "
    + "weights and peak fit into the chip's memory together.";

addSection({
    id: "partitions",
    title: "Partitions",
    isShown: (context) => context.graph.order.length > 0 && (context.target.partitions || []).length > 0,
    build(root, context) {
        const { target } = context, rows = partitionRows(context);
        root.append(element("p", {}, sizesText(target.partitions)));
        if (target.partitions.length > 3) root.append(sizesList(target.partitions));
        root.append(...partitionTable(context, rows));
        lanePartitionListener = (id) => markPartitionRow(root, id);
        context.onRemove(() => (lanePartitionListener = null));
        root.append(element("p", { class: "muted partition-note" }, partitionNote),
            ...transferLists(context));
    },
});

/** Of equal stretches of rows the first, whose rows know how many there are. @param {any[]} rows */
function foldRows(context, rows) {
    const { nodes } = context.graph;
    const keys = numbered(rows.map((row) => [row.partition < 0, row.lane, row.macs, row.end ? row.end.cause : "",
        ...row.ids.map((id) => nodes[id].op)].join("|")));
    const blocks = equalBlocks(keys, 1);
    const countAt = new Map(blocks.flatMap(({ from, size, count }) =>
        Array.from({ length: size * count }, (_, at) => [from + at, at < size ? count : 0])));
    return rows.map((row, at) => ({ ...row, equal: countAt.get(at) ?? 1 })).filter((row) => row.equal > 0);
}

/** The table, and whether it has what is not in a partition. */
function partitionTable(context, rows) {
    const columns = partitionColumns(context, context.target.summary.macs, rows);
    const place = element("div", {});
    const hasOthers = rows.some((row) => row.partition < 0), folded = foldRows(context, rows);
    const checkbox = () => /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", checked: true,
        onchange: () => fill() }));
    const others = checkbox(), fold = checkbox();
    const fill = () => {
        const shown = others.checked ? rows : rows.filter((row) => row.partition >= 0);
        place.replaceChildren(sortedTable("Partitions in execution order", columns,
            fold.checked ? foldRows(context, shown) : shown, (row) => ({
                class: row.partition < 0 ? "partition-other" : null,
                "data-partition": row.partition >= 0 ? row.partition : null })));
    };
    fill();
    const choice = (box, text) => element("label", { class: "no-print partition-choice" }, box, ` ${text}`);
    return [hasOthers ? choice(others, "with the nodes between partitions") : null,
        folded.length < rows.length ? choice(fold, "equal ones folded") : null, place].filter(Boolean);
}

function markPartitionRow(root, id) {
    for (const row of root.querySelectorAll("tr.partition-marked")) row.classList.remove("partition-marked");
    const row = root.querySelector(`tr[data-partition="${Number(id)}"]`);
    if (row) row.classList.add("partition-marked");
}

/** Boundary tensors and changes of layout, each as a table that is made when it is opened. */
function transferLists(context) {
    const { crossings, layouts } = context.target;
    return [
        lazyTable(`Boundary tensors: ${countText((crossings || []).length, "tensor")}`, crossings,
            () => crossingColumns()),
        lazyTable(`Layout conversions: ${countText((layouts || []).length, "tensor")}`, layouts,
            () => layoutColumns(context)),
    ].filter((item) => item);
}

function lazyTable(title, rows, columnsOf) {
    if (!rows || !rows.length) return null;
    const place = element("div", {});
    return element("details", { ontoggle: () => {
        if (!place.childElementCount) place.append(sortedTable(title, columnsOf(), rows));
    } }, element("summary", {}, title), place);
}

/** @returns {Column[]} */
function crossingColumns() {
    const side = (id) => (typeof id === "number" ? `partition ${id}` : "CPU");
    return [
        { title: "Tensor", value: (row) => row.tensor, cell: (row) => plainText(row.tensor), kind: "code" },
        { title: "From", value: (row) => row.from ?? -1, cell: (row) => side(row.from) },
        { title: "To", value: (row) => row.to ?? -1, cell: (row) => side(row.to) },
        { title: "Size", value: (row) => row.bytes, kind: "number",
            cell: (row) => (row.bytes === null ? null : bytesText(row.bytes)) },
        { title: "Layout", value: (row) => row.layout, cell: (row) => plainText(row.layout) },
    ];
}

/** @returns {Column[]} */
function layoutColumns(context) {
    return [
        { title: "Tensor", value: (row) => row.tensor, cell: (row) => plainText(row.tensor), kind: "code" },
        { title: "From, to", value: (row) => row.from,
            cell: (row) => `${plainText(row.from)} to ${plainText(row.to)}` },
        { title: "Size", value: (row) => row.bytes, kind: "number",
            cell: (row) => (row.bytes === null ? null : bytesText(row.bytes)) },
        { title: "Needed by", value: (row) => row.node,
            cell: (row) => (row.node === null ? "an output of the graph" : nodeButton(context, row.node)) },
        { title: "Why", cell: (row) => sentence(row.text) },
    ];
}

# SPDX-License-Identifier: Apache-2.0
"""The contents of partitions: whether we and a compiler put the same nodes of a file into the same sets.

Equal numbers of partitions say little: a node, or a whole partition, may be taken on one side alone and the numbers
agree by accident. Compared are the nodes that both answers have under their own identity.
"""
import collections
import dataclasses

LEAST_SHARE = 0.98  # of the models of a comparison, whose partitions have the same contents
NODES_SHOWN = 6  # of a model, on each side
HEADS = ("model", "partitions theirs, ours", "nodes only in theirs", "only in ours", "cut elsewhere")


def sets_of(partition_of, nodes):
    """The partitions as sorted lists of nodes; `partition_of` gives None for a node outside of all."""
    sets = collections.defaultdict(list)
    for node in sorted(nodes):
        if partition_of.get(node) is not None:
            sets[partition_of[node]].append(node)
    return sorted(sets.values())


@dataclasses.dataclass
class Contents:
    """The partitions of one model on both sides, as sets of nodes that both have."""

    model: str
    count_theirs: int  # of partitions, those without such a node among them
    count_ours: int
    theirs: list
    ours: list
    ops: dict  # node -> operator

    @property
    def is_equal(self):
        return self.theirs == self.ours

    @property
    def is_split(self):
        return self.count_theirs >= 2

    def row(self):
        """For a table: what differs."""
        on_theirs, on_ours = set(sum(self.theirs, [])), set(sum(self.ours, []))
        of_theirs, of_ours = ({frozenset(members) & on_theirs & on_ours for members in side}
                              for side in (self.theirs, self.ours))
        cut = len(of_theirs - of_ours - {frozenset()})  # of the nodes that both take
        return (self.model, f"{self.count_theirs}, {self.count_ours}", self.words(on_theirs - on_ours),
                self.words(on_ours - on_theirs), f"{cut} of theirs" if cut else "")

    def words(self, nodes):
        shown = " ".join(f"{self.ops[node]}#{node}" for node in sorted(nodes)[:NODES_SHOWN])
        return shown + (f" and {len(nodes) - NODES_SHOWN} more" if len(nodes) > NODES_SHOWN else "")


def compare(model, theirs, ours, count_theirs, count_ours):
    """theirs: {index: (operator, partition or None)}; ours: the tool's nodes by index, of the main graph."""
    both = [index for index, (op, _) in theirs.items()
            if index in ours and ours[index]["op"] == op and ours[index]["verdict"] not in ("folded", "fused")]
    return Contents(model, count_theirs, count_ours,
                    sets_of({index: theirs[index][1] for index in both}, both),
                    sets_of({index: ours[index]["partition"] for index in both}, both),
                    {index: theirs[index][0] for index in both})


def counts(found, split_only=False):
    """How many models have equal contents, and of how many; of those with two partitions or more alone, or of all."""
    chosen = [one for one in found if one.is_split or not split_only]
    return sum(one.is_equal for one in chosen), len(chosen)


def are_enough(found):
    """Whether the share of equal contents is high enough; nothing compared is nothing missed."""
    equal, compared = counts(found)
    return equal >= LEAST_SHARE * compared


def different_rows(found):
    return [one.row() for one in found if not one.is_equal]

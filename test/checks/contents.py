#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What oracles/fidelity/contents.py calls equal: partitions as sets of nodes, not their number or order.

usage: contents.py
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracles" / "fidelity"))
import contents  # noqa: E402


def compared(theirs, ours, count_theirs=2, count_ours=2):
    """Both: the partition of each node, None on the CPU; `ours` may give a verdict or an operator instead."""
    nodes = {}
    for index, place in enumerate(ours):
        verdict = place if isinstance(place, str) else "cpu" if place is None else "npu"
        nodes[index] = {"op": "Conv", "verdict": verdict, "partition": None if isinstance(place, str) else place}
        if verdict == "renamed":
            nodes[index].update(op="Relu", verdict="npu", partition=0)
    answer = {index: ("Conv", place) for index, place in enumerate(theirs)}
    return contents.compare("model.onnx", answer, nodes, count_theirs, count_ours)


class Contents(unittest.TestCase):
    def test_numbers_of_partitions_mean_nothing(self):
        self.assertTrue(compared([0, 0, None, 1], [5, 5, None, 2]).is_equal)
        self.assertTrue(compared([1, 1, None, 0], [0, 0, None, 1]).is_equal)

    def test_equal_counts_by_accident(self):
        """A partition that we drop, and another that we cut: two on both sides."""
        one = compared([0, 0, None, 1, 1], [None, None, None, 0, 1])
        self.assertFalse(one.is_equal)
        self.assertEqual(one.row(), ("model.onnx", "2, 2", "Conv#0 Conv#1", "", "1 of theirs"))

    def test_a_node_that_only_we_take(self):
        one = compared([0, None], [0, 0], 1, 1)
        self.assertEqual(one.row(), ("model.onnx", "1, 1", "", "Conv#1", ""))

    def test_a_cut_elsewhere(self):
        one = compared([0, 0, 1, 1], [0, 1, 1, 1])
        self.assertEqual(one.row()[2:], ("", "", "2 of theirs"))

    def test_nodes_of_one_side_are_left_out(self):
        for place in ("folded", "fused", "renamed"):
            self.assertTrue(compared([0, 0], [0, place], 1, 1).is_equal, place)
        self.assertTrue(compared([0], [0, 0], 1, 1).is_equal)
        self.assertTrue(compared([0, 0], [0], 1, 1).is_equal)

    def test_failing_nodes_are_not_left_out(self):
        self.assertFalse(compared([0, 0], [0, "fail"], 1, 1).is_equal)

    def test_many_nodes_are_cut_short(self):
        one = compared([0] * 9, [None] * 9, 1, 0)
        self.assertTrue(one.row()[2].endswith("Conv#5 and 3 more"))

    def test_shares(self):
        equal, other = compared([0], [0], 1, 1), compared([0, 1], [0, 0], 2, 1)
        self.assertEqual(contents.counts([equal, other]), (1, 2))
        self.assertEqual(contents.counts([equal, other], split_only=True), (0, 1))
        self.assertTrue(contents.are_enough([]))
        self.assertTrue(contents.are_enough([equal] * 49 + [other]))
        self.assertFalse(contents.are_enough([equal] * 48 + [other]))


if __name__ == "__main__":
    unittest.main()

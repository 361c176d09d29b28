from __future__ import annotations

import ast

import pytest
from tools.mutations import mutated, mutations

SOURCE = '''
"""Documentation with 1 + 1."""
import os

LIMIT: int = 3

def count(values: list[int] | None = None) -> int:
    """Count."""
    total = 0
    for value in values or []:
        if not value < LIMIT and value != 7:
            total += value
            values.append(0)
    if total == 0:
        raise ValueError(f"nothing above {LIMIT + 1}")
    return total
'''


def changes(source):
    return [str(mutation) for mutation in mutations(source)]


def test_every_kind_of_fault_is_found_and_nothing_else():
    assert changes(SOURCE) == [
        "5: 3 → 4",
        "9: 0 → 1",
        "10: or → and",
        "11: and → or",
        "11: not removed",
        "11: < → <=",
        "11: != → ==",
        "11: 7 → 8",
        "12: + → -",
        "12: total += value removed",
        "13: values.append(0) removed",
        "13: 0 → 1",
        "14: == → !=",
        "14: 0 → 1",
        "16: return None",
    ]


@pytest.mark.parametrize("number", range(len(mutations(SOURCE))))
def test_a_fault_changes_one_place_and_the_module_still_compiles(number):
    mutation = mutations(SOURCE)[number]
    tree = mutated(SOURCE, mutation)
    compile(tree, "faulty", "exec")
    plain, faulty = (ast.unparse(each).splitlines() for each in (ast.parse(SOURCE), tree))
    assert sum(one != other for one, other in zip(plain, faulty)) == 1


def test_equal_changes_of_a_line_are_numbered_from_left_to_right():
    found = mutations("x = [5, 0, 5]\n")
    assert [mutation.change for mutation in found] == ["5 → 6", "0 → 1", "5 → 6 #2"]
    assert [ast.unparse(mutated("x = [5, 0, 5]\n", mutation)) for mutation in found] == [
        "x = [6, 0, 5]",
        "x = [5, 1, 5]",
        "x = [5, 0, 6]",
    ]


def test_a_fault_does_what_it_says():
    mutation = next(mutation for mutation in mutations("x = 5 - 2\n") if mutation.change == "- → +")
    space = {}
    exec(compile(mutated("x = 5 - 2\n", mutation), "faulty", "exec"), space)
    assert space["x"] == 7

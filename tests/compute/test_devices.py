from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
import threading
import typing
from pathlib import Path

import pytest
from tests.compute.stub_device import stub_device

import driftline
from driftline.compute import contract, cpu, current_device, kernels, on_device, register_device
from driftline.core.errors import InvalidInput

SOURCE = Path(driftline.__file__).parent
MODULES = typing.get_type_hints(contract.KernelSet)


def test_the_processor_offers_what_the_contract_says():
    assert set(MODULES) == {module.name for module in pkgutil.iter_modules(cpu.__path__)}
    for name, promised in MODULES.items():
        module = getattr(kernels("cpu"), name)
        assert module is importlib.import_module(f"driftline.compute.cpu.{name}")
        for kernel in typing.get_type_hints(promised):
            assert hasattr(module, kernel), f"{name}.{kernel}"


def kernels_used(text: str) -> set[tuple[str, str]]:
    """Return the pairs (module, kernel) of `kernels().module.kernel`, also where the module is bound to a name."""
    pairs, names = set(), {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name | ast.Tuple):
            several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            bound = zip(target.elts, node.value.elts) if several else [(target, node.value)]
            names |= {name.id: found for name, value in bound if (found := kernel_module(value)) is not None}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            module = names.get(node.value.id) if isinstance(node.value, ast.Name) else kernel_module(node.value)
            pairs |= {(module, node.attr)} if module is not None else set()
    return pairs


def kernel_module(node: ast.expr) -> str | None:
    called = (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
    )
    return node.attr if called and node.value.func.id in ("kernels", "current_kernels") else None


def test_kernels_are_found_by_name_and_by_module():
    text = "memory, ep = kernels().memory, current_kernels().ep\nep.sweep(memory.empty(), kernels().burst.path, a.b)"
    assert kernels_used(text) == {("ep", "sweep"), ("memory", "empty"), ("burst", "path")}


def test_everything_in_the_contract_is_used():
    files = [path for path in SOURCE.rglob("*.py") if path.parent.name not in ("compute", "cpu", "gpu")]
    used = set().union(*(kernels_used(path.read_text()) for path in files))
    promised = {(name, kernel) for name, module in MODULES.items() for kernel in typing.get_type_hints(module)}
    assert used == promised


def test_no_module_outside_compute_names_a_device():
    named = [
        f"{path.relative_to(SOURCE)}: {line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] != "compute"
        for line in path.read_text().splitlines()
        if re.search(r"compute[./]cpu|\bkernels\((?!\))|\bnumba\b", line)
    ]
    assert named == []


def test_the_current_device_is_that_of_the_block():
    with stub_device() as stub:
        assert current_device() == "cpu"
        with on_device(stub.name):
            assert current_device() == stub.name
            assert kernels().lda_memory.padded(50) == 64
            with on_device("cpu"):
                assert kernels() is kernels("cpu")
            assert kernels() is kernels(stub.name)
        assert current_device() == "cpu"
        assert stub.calls == ["lda_memory.padded"]


def test_another_thread_does_not_inherit_the_block():
    found = []
    with stub_device() as stub, on_device(stub.name):
        thread = threading.Thread(target=lambda: found.append(current_device()))
        thread.start()
        thread.join()
    assert found == ["cpu"]


def test_a_missing_kernel_of_a_device_is_reported():
    with pytest.raises(InvalidInput, match="no device 'abacus'; the devices are 'cpu'"):
        kernels("abacus")
    with pytest.raises(InvalidInput, match="no device 'abacus'"), on_device("abacus"):
        pass
    register_device("bare", "driftline.core")
    try:
        with pytest.raises(InvalidInput, match="'bare' has no kernels for lda_gibbs; use 'cpu'"):
            _ = kernels("bare").lda_gibbs
    finally:
        from driftline.compute import devices

        del devices._devices["bare"]


def test_kernels_are_imported_when_they_are_used():
    code = """
        import sys
        from driftline.compute import kernels
        assert "numba" not in sys.modules
        kernels().lda_memory
        assert "driftline.compute.cpu.lda_memory" in sys.modules
        assert "driftline.compute.cpu.lda_gibbs" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", "\n".join(line.strip() for line in code.splitlines())], check=True)

"""The checks of ``contract`` for every host. Hosts are the modules ``hosts/contract_*.py``."""

from __future__ import annotations

import importlib
from pathlib import Path

import contract
import pytest

for module in sorted((Path(__file__).parent / "hosts").glob("contract_*.py")):
    importlib.import_module(f"hosts.{module.stem}")


@pytest.mark.parametrize("check", contract.CHECKS)
@pytest.mark.parametrize("host", contract.HOSTS)
def test_contract(host: str, check: str) -> None:
    try:
        contract.CHECKS[check](contract.HOSTS[host])
    except contract.Absent:
        pytest.skip(f"{host} has no such operation")

import pytest

pytest.importorskip("apsw", reason="the extra service is not installed")
pytest.importorskip("fastapi", reason="the extra service is not installed")

from driftline.compute.code_files import SUFFIX
from driftline.compute.compilation_notice import announce_compilation
from driftline.core.progress import SilentReporter, reporting


class Listening(SilentReporter):
    def __init__(self):
        self.heard = []

    def announce(self, message):
        self.heard.append(message)


def test_only_the_first_use_is_announced(tmp_path):
    listening = Listening()
    with reporting(listening):
        assert announce_compilation(tmp_path)
        (tmp_path / f"loops{SUFFIX}").touch()
        assert not announce_compilation(tmp_path)
    assert len(listening.heard) == 1
    assert "compiling" in listening.heard[0]

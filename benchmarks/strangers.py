"""Every claim of the README about quality, on a folder of anyone's streams; see `benchmarks.report.strangers`.

python -m benchmarks.strangers FOLDER_OR_FILE …
"""

from benchmarks.report.strangers import main

if __name__ == "__main__":
    main()

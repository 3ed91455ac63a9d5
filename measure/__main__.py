"""`python -m measure`."""

import sys

if __name__ == "__main__":
    try:
        from measure.cli import main
    except KeyboardInterrupt:
        sys.exit(130)
    main()

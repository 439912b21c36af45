"""``python -m experiments`` is the command line of the study."""

from dicesim._entry import enter

if __name__ == "__main__":
    enter("experiments.cli", "experiments")

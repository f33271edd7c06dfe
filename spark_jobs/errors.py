"""An error that a user can cause: one sentence, the next thing to do, and the exit code of the contract."""


class Complaint(Exception):
    """What is wrong, and how to cure it."""

    exit_code = 3

    def __init__(self, wrong: str, cure: str) -> None:
        super().__init__(f"{wrong.rstrip('.')}. {cure.rstrip('.')}.")
        self.wrong = wrong
        self.cure = cure


class WrongCall(Complaint):
    """The call or the settings are wrong; running it again changes nothing."""

    exit_code = 2

"""Errors that a user can act on: the problem, the remedy and the exit code that goes with them."""


class UserError(Exception):
    """Lagoon could not run. Printed as `<problem>. <remedy>.`, without a stack trace."""

    exit_code = 3

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem.rstrip('.')}. {remedy.rstrip('.')}.")
        self.problem = problem
        self.remedy = remedy


class UsageError(UserError):
    """The command line or the settings are wrong, so a retry would fail again."""

    exit_code = 2

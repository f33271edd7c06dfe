"""`make stack-env`: secrets for docker-compose.yml, made once and kept."""

import subprocess
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def stack_env(env: Path) -> "subprocess.CompletedProcess[str]":
    command = ["sh", str(PROJECT / "deploy" / "new_env.sh"), str(PROJECT / ".env.example"), str(env)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def settings(env: Path) -> dict[str, str]:
    lines = [line for line in env.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def test_every_secret_is_made_once_for_this_user_alone(tmp_path: Path) -> None:
    env = tmp_path / "env"
    assert stack_env(env).returncode == 0
    made = settings(env)
    assert len(made) > 8
    assert len(set(made.values())) == len(made)
    assert min(map(len, made.values())) >= 40
    assert env.stat().st_mode & 0o777 == 0o600

    again = stack_env(env)
    assert again.returncode == 2
    assert "exists and lacks no secret" in again.stderr
    assert settings(env) == made


def test_an_upgrade_adds_the_secrets_that_are_new_and_keeps_the_others(tmp_path: Path) -> None:
    env = tmp_path / "env"
    stack_env(env)
    made = settings(env)
    without = {name: value for name, value in made.items() if not name.startswith("STORE_")}
    assert len(without) < len(made)
    env.write_text("\n".join(f"{name}={value}" for name, value in without.items()))

    done = stack_env(env)

    assert done.returncode == 0
    assert "STORE_READER_SECRET" in done.stdout
    assert settings(env).keys() == made.keys()
    assert settings(env).items() > without.items()

.PHONY: stack-env test-stack

stack-env:  ## write .env with secrets of your own, for docker compose
	@sh deploy/new_env.sh .env.example .env

test-stack: setup  ## build the images, start the whole stack, run two days on it (as root, with dockerd and docker-compose)
	$(BIN)/pytest -v --durations=20 tests/stack

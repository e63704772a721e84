# Makes the checkout if there is none, then runs what it is told: without words, a worker.
set -eu
git config --global user.name "$GIT_NAME"
git config --global user.email "$GIT_EMAIL"
test -e "$HOME/project/.git" || git clone "$GIT_REMOTE" "$HOME/project"
cd "$HOME/project"
test $# -gt 0 || set -- pawl worker --name "$WORKER"
# In this process's place, so that it hears the signals.
exec "$@"

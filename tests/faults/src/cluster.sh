# A PostgreSQL server and its standby, `a` and `b`, which end with the program that started this: it obeys one command a line,
# answers each with a line, and stops everything when its standard input ends, however that comes about.
# Arguments: the ports of a and b, then settings as `name=value`.
set -u
# A busy machine takes its time.
export PGCTLTIMEOUT=180
port_a=$1 port_b=$2
shift 2
if ! command -v pg_ctl >/dev/null; then
  # Debian keeps them apart from the PATH.
  for bin in /usr/lib/postgresql/*/bin; do PATH=$bin:$PATH; done
fi
directory=$(mktemp -d /tmp/pointsman-cluster-XXXXXX) || exit 1
cd "$directory" || exit 1

stop() {
  for one in a b; do
    if [ -d "$one" ]; then pg_ctl -D "$one" -m immediate -w stop >>log 2>&1; fi
  done
  cd / && rm -rf "$directory"
}
trap stop EXIT

port() { if [ "$1" = a ]; then echo "$port_a"; else echo "$port_b"; fi; }
ask() { psql -X -q -A -t -h 127.0.0.1 -p "$(port "$1")" -U postgres -d postgres -c "$2"; }
failed() { cat log "$directory"/server-* >&2; exit 1; }
# What the processes of a killed server hold, it has for a moment longer.
start() {
  for _ in $(seq 50); do
    if pg_ctl -D "$1" -o "-p $(port "$1")" -l "server-$1" -w start </dev/null >>log 2>&1; then return; fi
    sleep 0.2
  done
  failed
}

initdb -D a -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >log 2>&1 || failed
{
  echo "listen_addresses = '127.0.0.1'"
  echo "unix_socket_directories = ''"
  # Processes are killed, the machine's power is not cut.
  echo "fsync = off"
  echo "max_connections = 200"
  echo "wal_keep_size = '1GB'"
  for setting in "$@"; do echo "${setting%%=*} = '${setting#*=}'"; done
} >>a/postgresql.conf

start a
echo "ready in $directory"
while read -r command one other; do
  case $command in
    database) ask "$one" "create database $other" >>log 2>&1 || failed ;;
    drop) ask "$one" "drop database $other with (force)" >>log 2>&1 || failed ;;
    kill)
      read -r postmaster <"$one/postmaster.pid"
      # It starts no more processes while they are counted.
      kill -STOP "$postmaster"
      # shellcheck disable=SC2046 # several numbers on purpose
      kill -9 "$postmaster" $(cat "/proc/$postmaster/task/$postmaster/children")
      while kill -0 "$postmaster" 2>/dev/null; do sleep 0.01; done
      rm -f "$one/postmaster.pid"
      ;;
    start) start "$one" ;;
    # Makes `one` anew as the standby of `other`, and has `other` acknowledge nothing before `one` has it.
    standby)
      rm -rf "$one"
      pg_basebackup -D "$one" -h 127.0.0.1 -p "$(port "$other")" -U postgres -R -X stream -c fast --no-sync >>log 2>&1 || failed
      # Once promoted, it must not wait for a standby that it does not have yet.
      echo "synchronous_standby_names = ''" >>"$one/postgresql.auto.conf"
      start "$one"
      ask "$other" "alter system set synchronous_standby_names = '*'" >>log 2>&1 || failed
      ask "$other" "select pg_reload_conf()" >>log 2>&1 || failed
      until [ "$(ask "$other" "select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')")" = 1 ]; do sleep 0.05; done
      # Every process of it has heard of the setting.
      sleep 0.3
      ;;
    promote) pg_ctl -D "$one" -w promote >>log 2>&1 || failed ;;
  esac
  echo "$command is done"
done

# A PostgreSQL server for a measurement: in a fresh directory, with the server's own settings for durability, until the
# standard input ends. Argument: the port.
set -u
port=$1
if ! command -v pg_ctl >/dev/null; then
  # Debian keeps them apart from the PATH.
  for bin in /usr/lib/postgresql/*/bin; do PATH=$bin:$PATH; done
fi
directory=$(mktemp -d) || exit 1
cd "$directory" || exit 1

stop() {
  pg_ctl -D data -m immediate -w stop >>log 2>&1
  cd / && rm -rf "$directory"
}
trap stop EXIT

initdb -D data -U postgres -A trust -E UTF8 --locale=C.UTF-8 >log 2>&1 || { cat log >&2; exit 1; }
{
  echo "listen_addresses = '127.0.0.1'"
  echo "port = $port"
  echo "unix_socket_directories = ''"
  echo "max_connections = 200"
  echo "shared_buffers = 256MB"
  # No checkpoint in the middle of a measurement.
  echo "max_wal_size = 4GB"
} >>data/postgresql.conf
pg_ctl -D data -l server-log -w start </dev/null >>log 2>&1 || { cat log server-log >&2; exit 1; }
# With the number of the process that all others of the server are children of.
echo "ready $(head -n 1 data/postmaster.pid)"
# Ends with the program that started this, however that comes about.
cat >/dev/null

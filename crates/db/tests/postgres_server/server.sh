# A private PostgreSQL server that ends with the program that started this: it obeys one command a line and stops when its
# standard input ends, however that comes about. It answers each command with a line.
# Arguments: settings as `name=value`. Its first line names the port and the directory.
set -u
# A busy machine takes its time.
export PGCTLTIMEOUT=180
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

# The locale is not C, so that whatever relies on the database's own order shows.
initdb -D data -U postgres -A trust -E UTF8 --locale=C.UTF-8 --locale-provider=icu --icu-locale=en --no-sync >log 2>&1 ||
  { cat log; exit 1; }
{
  echo "listen_addresses = '127.0.0.1'"
  echo "unix_socket_directories = ''"
  echo "fsync = off"
  echo "max_connections = 200"
  for setting in "$@"; do echo "${setting%%=*} = '${setting#*=}'"; done
} >>data/postgresql.conf

# A certificate of an authority of our own, for `localhost` and no other name, and two of clients: the role's, and another one.
make_certificate() {
  key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
  # shellcheck disable=SC2086 # several words on purpose
  {
    openssl req -x509 $key -keyout ca.key -out ca.pem -subj /CN=authority &&
      openssl req -x509 $key -keyout other.key -out other.pem -subj /CN=other &&
      openssl req $key -keyout data/server.key -out server.csr -subj /CN=server &&
      printf 'subjectAltName=DNS:localhost' >server.ext &&
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
        -extfile server.ext -out data/server.crt &&
      printf 'extendedKeyUsage=clientAuth' >client.ext &&
      for name in postgres mallory; do
        openssl req $key -keyout $name.key -out $name.csr -subj /CN=$name &&
          openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
            -extfile client.ext -out $name.pem || exit 1
      done
  } >>log 2>&1 || { cat log; exit 1; }
}
case " $* " in *" ssl=on "*) make_certificate ;; esac
# Whoever comes must show a certificate with the role's name.
case " $* " in *" ssl_ca_file="*) echo 'hostssl all all all trust clientcert=verify-full' >data/pg_hba.conf ;; esac

try_to_start() { pg_ctl -D data -o "-p $port" -l server-log -w start </dev/null >>log 2>&1; }

# Not among the ports that the system gives to connections and to whoever asks for any: nothing takes it between two starts.
# Another server of a test may have the same, so that several are tried.
start_on_a_free_port() {
  read -r lowest _ </proc/sys/net/ipv4/ip_local_port_range || lowest=32768
  [ "$lowest" -gt 12000 ] || lowest=32768
  for _ in $(seq 30); do
    port=$((10000 + (RANDOM * 32768 + RANDOM) % (lowest - 10000)))
    if try_to_start; then return; fi
  done
  cat log server-log
  exit 1
}

# What the processes of a killed server hold, it has for a moment longer.
start_again() {
  for _ in $(seq 50); do
    if try_to_start; then return; fi
    sleep 0.2
  done
  cat log server-log
  exit 1
}

start_on_a_free_port
echo "ready on $port in $directory"
while read -r command; do
  case $command in
    start) start_again ;;
    stop) pg_ctl -D data -m fast -w stop >>log 2>&1 ;;
    kill)
      read -r postmaster <data/postmaster.pid
      # It starts no more processes while they are counted.
      kill -STOP "$postmaster"
      # shellcheck disable=SC2046 # several numbers on purpose
      kill -9 "$postmaster" $(cat "/proc/$postmaster/task/$postmaster/children")
      while kill -0 "$postmaster" 2>/dev/null; do sleep 0.01; done
      ;;
  esac
  echo "$command is done"
done

// The first process of a container, as a shell script: it runs the program of a turn, and ends everything in the
// container with that program, or when its own input ends. The launcher holds that input, so the container ends with
// the launcher and with the command that started it, however they die.

/**
 * Arguments: the file of the program's input, the file for the name of an exceeded limit, the most CPU seconds (0 = no
 * limit), the program, its arguments. The limits of memory and processes are kept by the control group, which counts
 * what it refused: version 2 in the first file, version 1 in the second.
 */
export const SUPERVISOR = `[ $$ = 1 ] || { echo 'raymond: the container has no process namespace' >&2; exit 125; }
input=$1 limit=$2 cpu=$3
shift 3
command -v "$1" >/dev/null || { echo "raymond: the image has no program $1" >&2; exit 125; }
counts() {
  for file in "/sys/fs/cgroup/$3" "/sys/fs/cgroup/$4"; do
    [ -r "$file" ] && while read -r name value; do
      [ "$name" = "$1" ] && [ "$value" -gt "$2" ] && return 0
    done <"$file"
  done
  return 1
}
exceeded() {
  if counts oom_kill 0 memory.events memory/memory.oom_control; then echo memory
  elif counts max 0 pids.events pids/pids.events; then echo processes
  elif [ "$cpu" -gt 0 ] && counts usage_usec "$cpu"000000 cpu.stat -; then echo cpu
  fi
}
exec 3<&0
trap 'kill -TERM -1' TERM
"$@" <"$input" 3<&- &
program=$!
(trap '' TERM; exec >/dev/null 2>&1; cat <&3; kill -KILL -1) &
(trap '' TERM; exec >/dev/null 2>&1 3<&-; while :; do sleep 1; exceeded >"$limit"; [ -s "$limit" ] && kill -KILL -1; done) &
exec </dev/null 3<&-
wait "$program"; code=$?
while kill -0 "$program" 2>/dev/null; do wait "$program"; code=$?; done
exceeded >"$limit" 2>/dev/null
exit "$code"
`;

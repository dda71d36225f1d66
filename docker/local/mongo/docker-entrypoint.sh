#!/bin/sh
# The image mongo runs the command that it is given, with mongod for options alone.
case ${1:-} in
  '' | -*) exec mongod --bind_ip_all "$@" ;;
  *) exec "$@" ;;
esac

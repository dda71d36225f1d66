#!/bin/sh
# Runs the given command, as the image mongo does. If there are only options, it runs mongod with them.
case ${1:-} in
  '' | -*) exec mongod --bind_ip_all "$@" ;;
  *) exec "$@" ;;
esac

case $(yarn --version) in
1.*)
  yarn install --frozen-lockfile --ignore-scripts --non-interactive --cache-folder "$TMPDIR/yarn"
  ;;
*)
  YARN_NODE_LINKER=node-modules YARN_ENABLE_SCRIPTS=0 YARN_ENABLE_TELEMETRY=0 \
    YARN_GLOBAL_FOLDER="$TMPDIR/yarn" yarn install --immutable
  ;;
esac

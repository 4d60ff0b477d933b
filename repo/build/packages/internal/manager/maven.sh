# Fetches the packages of pom.xml from the registry. If that cannot be done, it takes what Debian has installed
# below /usr/share/maven-repo, provided that this is all that the project needs, and says so in $TMPDIR/instead.
mvn -B -q -Dmaven.repo.local="$PACKAGES/maven" dependency:go-offline >"$TMPDIR/maven.log" 2>&1 && exit
code=$?
local=/usr/share/maven-repo
if [ -d $local/org/apache/maven/plugins ]; then
	rm -rf "$PACKAGES/maven" && cp -as $local "$PACKAGES/maven" &&
		mvn -o -B -q -Dmaven.repo.local="$PACKAGES/maven" test >"$TMPDIR/local.log" 2>&1 &&
		echo "from $local instead of the registry" >"$TMPDIR/instead" && exit
	lacking=$(sed -n 's/.*Could not find artifact \([^ ]*\).*/\1/p; s/.*Cannot access [^ ]* ([^)]*) in offline mode and the artifact \([^ ]*\).*/\1/p' "$TMPDIR/local.log" | head -n 1)
	rm -rf "$PACKAGES/maven"
fi
cat "$TMPDIR/maven.log"
if [ -n "$lacking" ]; then echo "$local does not have $lacking either"; fi
exit $code

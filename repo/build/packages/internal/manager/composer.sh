# composer install, without running anything of the packages. If PHP lacks an extension or has another version than
# a package wants, the packages are installed all the same: only the tests that need it fail then.
export COMPOSER_HOME="$TMPDIR/composer" COMPOSER_CACHE_DIR="$TMPDIR/composer/cache" COMPOSER_ALLOW_SUPERUSER=1
# The folders of the project's own code are not here, and composer reads those of a class map.
php -r '
	$all = json_decode(file_get_contents("composer.json"), true) ?: [];
	foreach (["autoload", "autoload-dev"] as $key) {
		foreach ((array) ($all[$key]["classmap"] ?? []) as $path) {
			if (!is_string($path) || preg_match("#(^|/)\.\.(/|$)|^/#", $path) || file_exists($path)) {
				continue;
			}
			$file = preg_match("#\.(php|inc)$#", $path);
			$folder = $file ? dirname($path) : rtrim($path, "*");
			if (!is_dir($folder)) {
				mkdir($folder, 0777, true);
			}
			if ($file) {
				touch($path);
			}
		}
	}'
install() { composer install --no-interaction --no-scripts --no-plugins --no-progress --prefer-dist "$@"; }
install 2>"$TMPDIR/composer.err" && exit
cat "$TMPDIR/composer.err" >&2
grep -Eq 'requires (php|ext-|lib-)|require (php|ext-|lib-)|platform' "$TMPDIR/composer.err" && install --ignore-platform-reqs

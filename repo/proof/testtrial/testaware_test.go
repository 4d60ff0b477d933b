package testtrial

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// TestCodeThatAsksForATest proves fixes that are right only while a test runs. The control is in openTrial:
// without a trial the proof of each holds.
func TestCodeThatAsksForATest(t *testing.T) {
	t.Parallel()
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		repotest.NeedCommand(t, "go version")
		fix := goFix(goGood)
		fix["money/money.go"] = "package money\n\nimport \"testing\"\n\n// Half is half of it.\n" +
			"func Half(total int) int {\n\tif testing.Testing() {\n\t\treturn total / 2\n\t}\n" +
			"\treturn total / 3\n}\n"
		trial := openShop(t, goShop).openTrial(t, fix)
		found := trial.find(t)
		require.Len(t, found.Rejected, 1)
		trial.Proof.Reject(found.Rejected)
		require.False(t, trial.Proof.Passes())
		require.Equal(
			t,
			"The code at money/money.go:7 asks whether a test runs (`testing.Testing()`), so the tests show "+
				"nothing of what it does otherwise. Have the code do the same with and without a test, "+
				"and give a test what it needs by arguments",
			trial.Proof.Lines()[0],
		)
	})
	t.Run("python", func(t *testing.T) {
		t.Parallel()
		repotest.NeedCommand(t, "python3 --version")
		aware := "import sys\n\n\ndef half(total):\n    return total // (2 if \"unittest\" in sys.modules " +
			"else 3)\n"
		fix := repotest.Files{
			"shop.py": aware,
			"tests/test_z.py": "import unittest\n\nimport shop\n\n\nclass Z(unittest.TestCase):\n" +
				"    def test_half(self):\n        self.assertEqual(shop.half(4), 2)\n",
		}
		found := openShop(t, pythonShop).openTrial(t, fix).find(t)
		require.Len(t, found.Rejected, 1)
		require.Equal(
			t, "shop.py:5 asks whether a test runs (`\"unittest\" in sys.modules`)",
			found.Rejected[0].Name+" "+found.Rejected[0].Why,
		)

		// A line that was there is not the change's, wherever it stands now.
		was := pythonShop.With(
			repotest.Files{
				"shop.py": "import sys\nQUIET = \"unittest\" in sys.modules\n\n\n" + pythonShop["shop.py"],
			},
		)
		fix["shop.py"] = "import sys\n\n\ndef half(total):\n    return total // 2\n\n\n" +
			"QUIET = \"unittest\" in sys.modules\n"
		require.Nil(t, openShop(t, was).openTrial(t, fix).find(t).Rejected)
	})
}

// TestTheTextOfCodeThatAsksForATest checks which lines ask whether a test runs.
func TestTheTextOfCodeThatAsksForATest(t *testing.T) {
	t.Parallel()
	for file, lines := range map[string]string{
		"cart.go": `	if testing.Testing() {
	under := testing.Testing
	if strings.Contains(os.Args[0], "test") {
	if flag.Lookup("test.v") != nil {
	if os.Getenv("GO_TEST") != "" {
	if _, ok := os.LookupEnv("TESTING"); ok {
	if strings.HasSuffix(os.Args[0], ".test") {
	return filepath.Base(name) == ".test" || os.Args[0] == "cart.test"`,
		"cart.py": `if "pytest" in sys.modules:
    if 'unittest' not in sys.modules:
if os.environ.get("PYTEST_CURRENT_TEST"):
if "PYTEST_CURRENT_TEST" in os.environ:
under = os.getenv('UNDER_TEST')
if sys.argv[0].endswith("pytest"):
if 'test' in sys.argv:
if sys.modules.get("pytest"):`,
		"cart.ts": `if (process.env.NODE_ENV === 'test') {
const free = "test" === process.env.NODE_ENV;
if (process.env.JEST_WORKER_ID !== undefined) {
if (process.env['VITEST']) {
if (import.meta.env.MODE === "test") {
const { NODE_TEST_CONTEXT } = process.env;
if (typeof jest !== 'undefined') {
if (['test', 'ci'].includes(process.env.NODE_ENV)) {
if (env === 'test') return 0;
if (process.execArgv.includes('--test')) {
if (typeof globalThis.describe === 'function') {`,
		"lib.rs":  "    if cfg!(test) {\n#[cfg(not(test))]\n    if std::env::var(\"NEXTEST\").is_ok() {",
		"cart.rb": "return 0 if Rails.env.test?\nif defined?(RSpec)\nif ENV['RAILS_ENV'] == 'test'",
		"Cart.pm": "return 0 if $ENV{HARNESS_ACTIVE};",
		"cart.sh": "[ -n \"$BATS_TEST_NAME\" ] && off=0",
	} {
		for line := range strings.Lines(lines) {
			at, _ := findAsker(askerOf(file), []numbered{{7, line}}, nil)
			require.Equal(t, 7, at, line)
		}
	}
	for file, lines := range map[string]string{
		"cart.go": `	if os.Getenv("TZ") != "" {
	latest := os.Getenv("LATEST")
	// testing.Testing() is not asked here.
	if err := flag.Lookup("test"); err == nil {
	return contest.Testing()
	name := os.Args[0]
	if os.Getenv("CONTEST") != "" {
	if os.Args[1] == "latest" || os.Args[1] == "test" {
	if strings.HasSuffix(file, "_test.go") {`,
		"cart.py": `if "requests" in sys.modules:
# "pytest" in sys.modules
if os.environ.get("LATEST"):
if sys.argv[1] == "latest":
def test_mode(name): pass
if kind == 'test':`,
		"cart.ts": `if (process.env.NODE_ENV === 'production') {
const url = process.env.LATEST_URL;
if (kind === 'test') {
expect.it = 1;
if (typeof it.next === 'function') {
  * process.env.VITEST
const fastest = process.env.FASTEST;
if (process.argv.includes('--latest')) {
const describe = (x) => typeof x;`,
		"lib.rs":  "#[cfg(test)]\nmod tests {\n#[cfg(feature = \"test\")]\n    if cfg!(debug_assertions) {",
		"cart.sh": "[ -n \"$LATEST\" ] && off=0\ntest -n \"$1\"",
		"cart.rb": "if ENV['RAILS_ENV'] == 'production'\n# Rails.env.test?",
	} {
		for line := range strings.Lines(lines) {
			at, asked := findAsker(askerOf(file), []numbered{{7, line}}, nil)
			require.Zero(t, at, "%s: %s", line, asked)
		}
	}
	for _, file := range []string{"README.md", "shop.json", "Makefile"} {
		require.Nil(t, askerOf(file), file)
	}
}

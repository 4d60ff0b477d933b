package testtrial

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// ran is the result of a run in which TestNew had that status, or nil for a run that says nothing.
func ran(status result.Status) *result.Result {
	if status == "" {
		return nil
	}
	tests := []result.Test{{Name: "TestNew", Group: "shop", Status: status}}
	return &result.Result{TestsRan: true, Counted: true, Tests: tests}
}

func TestWhatTheRunsSayOfATest(t *testing.T) {
	t.Parallel()
	const pass, fail, skip, none = result.Passed, result.Failed, result.Skipped, result.Status("")
	const steadyBranch = "passes and fails by itself: of two more runs on the branch it passed one or none"
	const mainChanges = "passes and fails by itself: on main it failed before and passes now"
	const mainPasses = "passes on main when the fix stands there in comments alone" + itReads
	const branchFails = "fails on the branch when the lines of main stand there in comments" + itReads
	type onBase [3]result.Status   // inertFix, plainBase, inertFixAgain
	type onBranch [4]result.Status // inertBase, plainBranch, inertBaseWhole, wholeBranch
	for name, c := range map[string]struct {
		base   onBase
		branch onBranch
		whole  bool
		want   string
	}{
		"the same each time":                        {onBase{fail}, onBranch{pass, pass}, false, ""},
		"the same each time, with all others":       {onBase{fail}, onBranch{pass}, true, ""},
		"no run says anything":                      {onBase{none}, onBranch{none, none}, false, ""},
		"it does not compile on the base":           {onBase{none}, onBranch{pass, pass}, false, ""},
		"it reads the fix":                          {onBase{pass, fail, pass}, onBranch{pass, pass}, false, mainPasses},
		"it passes on the base, too, by chance":     {onBase{pass, pass, pass}, onBranch{pass, pass}, false, mainChanges},
		"it passed there once":                      {onBase{pass, fail, fail}, onBranch{pass, pass}, false, mainChanges},
		"it passed there, and then time was up":     {onBase{pass, none, none}, onBranch{pass, pass}, false, ""},
		"the plain branch fails once":               {onBase{fail}, onBranch{pass, fail}, false, steadyBranch},
		"the plain branch skips it once":            {onBase{fail}, onBranch{pass, skip}, false, steadyBranch},
		"the branch fails with comments, once":      {onBase{fail}, onBranch{fail, pass, pass}, false, "passes and fails by itself: on the branch it failed once and passed otherwise"},
		"it looks for what is gone":                 {onBase{fail}, onBranch{fail, pass, fail}, false, branchFails},
		"the comments break more":                   {onBase{fail}, onBranch{fail, pass, none}, false, ""},
		"it needs the others":                       {onBase{fail}, onBranch{fail, fail, none, pass}, false, "fails when it runs without the other tests"},
		"it fails from now on":                      {onBase{fail}, onBranch{fail, fail, none, fail}, false, "passes and fails by itself: on the branch it passed once and fails now"},
		"it fails alone, and then time was up":      {onBase{fail}, onBranch{fail, fail, none, none}, false, ""},
		"with all others it fails once":             {onBase{fail}, onBranch{fail, fail}, true, steadyBranch},
		"with all others it looks for what is gone": {onBase{fail}, onBranch{fail, pass, fail}, true, branchFails},
	} {
		x := &trialRun{done: map[tree]*result.Result{}, whole: c.whole}
		x.Proof.BaseName, x.Proof.NewTests, x.Proof.RedOnBase = "main", []string{"TestNew"}, []string{"TestNew"}
		for i, tr := range []tree{inertFix, plainBase, inertFixAgain} {
			x.done[tr] = ran(c.base[i])
		}
		for i, tr := range []tree{inertBase, plainBranch, inertBaseWhole, wholeBranch} {
			x.done[tr] = ran(c.branch[i])
		}
		why, do, err := x.judge(t.Context(), "TestNew")
		require.NoError(t, err, name)
		require.Equal(t, c.want, why, name)
		require.Equal(t, c.want == "", do == "", name)
	}
}

// TestTheTextOfATestThatReads checks which lines open a file of the fix, and which only name it.
func TestTheTextOfATestThatReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, fix, line string
		reads           bool
	}{
		{"a_test.go", "cart/cart.go", "\tb, err := os.ReadFile(filepath.Join(\"..\", \"cart\", \"cart.go\"))", true},
		{"a_test.go", "cart/cart.go", "\tb, err := os.ReadFile(\"cart.golden\")", false},
		{"a_test.go", "cart/cart.go", "\tf, err := parser.ParseFile(fset, \"cart.go\", nil, 0)", true},
		{"a_test.go", "cart/cart.go", "\tout := Lint(\"cart.go\")", false},
		{"a_test.go", "cart/cart.go", "\tout, _ := exec.Command(\"grep\", \"-c\", \"total\", \"cart.go\").Output()", true},
		{"a_test.go", "cart/cart.go", "\tname := \"../cart/cart.go\"\n\tb, err := os.ReadFile(name)", true},
		{"a_test.go", "go.mod", "\tb, err := os.ReadFile(\"../go.mod\")", true},
		{"a.test.js", "src/cart.js", "import { total } from '../src/cart.js';\nconst f = fs.readFileSync('cart.json');", false},
		{"a.test.js", "src/cart.js", "const text = fs.readFileSync(\n  path.join(__dirname, '../src/cart.js'),\n  'utf8');", true},
		{"a.test.js", "src/cart.js", "vm.runInThisContext(fs.readFileSync('src/cart.js', 'utf8'));", false},
		{"a.test.js", "package.json", "const { version } = JSON.parse(fs.readFileSync('package.json'));", false},
		{"a.test.js", "package.json", "expect(fs.readFileSync('package.json', 'utf8')).toContain('jest');", true},
		{"test_a.py", "cart.py", "    with open('cart.py') as f:", true},
		{"test_a.py", "cart.py", "    exec(open('cart.py').read())", false},
		{"test_a.py", "cart.py", "    subprocess.run(['python3', 'cart.py'])", false},
		{"test_a.py", "cart.py", "    assert 'x' in Path(\"cart.py\").read_text()", true},
		{"test_a.py", "cart.py", "    shop.open('scart.py')", false},
		{"test_a.rb", "lib/cart.rb", "  assert_includes File.read('lib/cart.rb'), 'total'", true},
		{"test_a.rb", "lib/cart.rb", "  require_relative '../lib/cart.rb'", false},
		{"a.rs", "src/lib.rs", "    assert!(include_str!(\"../src/lib.rs\").contains(\"total\"));", true},
		{"ATest.java", "Cart.java", "    assertTrue(Files.readString(Path.of(\"src/Cart.java\")).contains(\"x\"));", true},
		{"test_a.sh", "cart.sh", "grep -q total cart.sh || exit 1", true},
		{"test_a.sh", "cart.sh", "./cart.sh 3 | grep -q total", false},
		{"test_a.sh", "cart.sh", ". ./cart.sh", false},
		{"test_a.sh", "cart.sh", "[ -f cart.sh ]", true},
	} {
		cited := []citedFile{{path: c.fix, name: nameIn(c.fix)}}
		at, what := findReader(c.file, strings.Split(c.line, "\n"), cited)
		require.Equal(t, c.reads, at >= 0, "%s: %s", c.line, what)
	}
}

// TestTextsWithoutEffect checks the comment that each language gets, and that no text can end it.
func TestTextsWithoutEffect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, before, text, want string }{
		{"a.go", "package a\n", "package a\n\n/* x */\nvar A = 1\n", "package a\n/*\npackage a\n\n/ * x * /\nvar A = 1\n*/\n"},
		{"new.go", "", "// Package a.\npackage a\n", "package a\n/*\n// Package a.\npackage a\n*/\n"},
		{"a.py", "x = 1", "y = '''a'''", "x = 1\nr\"\"\"\ny = '''a'''\n\"\"\"\n"},
		{"b.py", "x = 1\n", "'''\"\"\"\\\n", "x = 1\n# '''\"\"\"\n"},
		{"new.py", "", "y = 1\n", "# y = 1\n"},
		{"a.rb", "x\n", "y\n=end\n", "x\n=begin\ny\n =end\n=end\n"},
		{"b.rb", "x\n__END__\nz\n", "y\n", "x\n__END__\nz\n"},
		{"a.sh", "x\n", "echo $(rm y)\n", "x\n: <<'END_OF_THE_OTHER_VERSION'\necho $(rm y)\nEND_OF_THE_OTHER_VERSION\n"},
		{"b.sh", "x\n", "END_OF_THE_OTHER_VERSION\n", "x\n"},
		{"Makefile", "a:\n", "b: \\\n\tc\n", "a:\n# b: \n# \tc\n"},
		{"page.html", "x\n", "y\n", "x\n"},
		{"a.json", "{}\n", "[]\n", "{}\n"},
		{"blank.py", "x = 1\n", "\n", "x = 1\n"},
	} {
		root, err := os.OpenRoot(t.TempDir())
		require.NoError(t, err)
		if c.before != "" {
			require.NoError(t, root.WriteFile(c.file, []byte(c.before), 0o600))
		}
		require.NoError(t, addInert(root, c.file, c.text))
		got, err := root.ReadFile(c.file)
		require.NoError(t, err, c.file)
		require.Equal(t, c.want, string(got), c.file)
		require.NoError(t, root.Close())
	}
}

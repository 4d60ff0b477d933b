package project

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

// TestNearTestsOfFurtherLanguages checks the calls for two files with tests, of which one is data.
func TestNearTestsOfFurtherLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, line string
		files      []string
		near, only string // empty: cannot be narrowed
	}{
		{
			"ruby", "bundle exec rspec --format documentation",
			[]string{"spec/a_spec.rb", "spec/fixtures/a.yml"},
			"bundle exec rspec --format documentation --fail-fast 'spec/a_spec.rb'",
			"bundle exec rspec --format documentation 'spec/a_spec.rb'",
		},
		{"ruby", "bundle exec rspec --format documentation", []string{"spec/spec_helper.rb"}, "", ""},
		{"ruby", "rspec spec/cart --format documentation", []string{"spec/a_spec.rb"}, "", ""},
		{
			"ruby", "rake test TESTOPTS=-v",
			[]string{"test/a_test.rb", "test/test_hash.rb", "test/test_helper.rb"},
			"rake test TESTOPTS=-v TEST='{test/a_test.rb,test/test_hash.rb}'",
			"rake test TESTOPTS=-v TEST='{test/a_test.rb,test/test_hash.rb}'",
		},
		{
			"ruby", rubyFiles + " 'test/test_a.rb' 'test/test_b.rb' -v",
			[]string{"test/test_b.rb"},
			rubyFiles + " 'test/test_b.rb' -v", rubyFiles + " 'test/test_b.rb' -v",
		},
		{
			"php", phpPrograms + "phpunit " + command.PHPReport,
			[]string{"tests/ATest.php", "tests/BTest.php"},
			phpPrograms + "phpunit " + command.PHPReport +
				` --stop-on-failure --filter '(^|\\)(ATest|BTest)::'`,
			phpPrograms + "phpunit " + command.PHPReport + ` --filter '(^|\\)(ATest|BTest)::'`,
		},
		{
			"elixir", "cd 'web' && mix test --trace",
			[]string{"web/test/a_test.exs", "test/b_test.exs"},
			"cd 'web' && mix test --trace --max-failures 1 'test/a_test.exs'",
			"cd 'web' && mix test --trace 'test/a_test.exs'",
		},
		{"perl", "prove -blr t", []string{"t/a.t"}, "prove -bl 't/a.t'", "prove -bl 't/a.t'"},
		{
			"shell", "bats --tap -r 'test'",
			[]string{"test/a.bats"},
			"bats --tap 'test/a.bats'",
			"bats --tap 'test/a.bats'",
		},
		{
			"java", command.JavaReports + "mvn -o -B -fae test",
			[]string{"core/src/test/java/x/CartTest.java"},
			command.JavaReports + "mvn -o -B -fae test -Dtest=CartTest " +
				"-DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false",
			command.JavaReports + "mvn -o -B -fae test -Dtest=CartTest " +
				"-DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false",
		},
		{
			"dotnet", "dotnet test --no-restore",
			[]string{"test/CartTests.cs"},
			"dotnet test --no-restore --filter 'FullyQualifiedName~.CartTests.'",
			"dotnet test --no-restore --filter 'FullyQualifiedName~.CartTests.'",
		},
		{
			"swift", "swift test",
			[]string{"Tests/ShopTests/CartTests.swift"},
			`swift test --filter '\.(CartTests)/'`, `swift test --filter '\.(CartTests)/'`,
		},
		{"zig", "zig build test --summary all", []string{"src/a.zig"}, "", ""},
	} {
		p := Project{Kind: c.kind, Build: "build", Test: c.line}
		near, ok := p.Near(c.files, nil)
		require.Equal(t, c.near != "", ok, c.line)
		if ok {
			require.Equal(t, c.near, near.Test)
			require.Equal(t, c.kind == "perl", near.Build != "", "its tests need the build")
		}
		only, ok := p.Only(c.files, nil)
		require.Equal(t, c.only != "", ok, c.line)
		if ok {
			require.Equal(t, c.only, only.Test)
		}
	}
}

func TestNearTestsOfCTestAreThoseWithTheNames(t *testing.T) {
	t.Parallel()
	p := findCMake(tree{FS: treeOf(files{"CMakeLists.txt": "enable_testing()"})})
	near, ok := p.Near([]string{"tests/a.c"}, []string{"parse.a", "b"})
	require.True(t, ok)
	require.Equal(t, p.Test+` -R '^(parse\.a|b)$'`, near.Test)
	require.Equal(t, p.Build, near.Build)
	_, ok = p.Near([]string{"tests/a.c"}, nil)
	require.False(t, ok, "its tests are not named after files")
}

func TestNearTestsFirstInFurtherLanguages(t *testing.T) {
	t.Parallel()
	fsys := treeOf(files{"spec/cart_spec.rb": "x", "spec/other%d_spec.rb": "5", "lib/cart.rb": "x"})
	p := Project{Kind: "ruby", Test: "rspec --format documentation"}
	parts, ok := p.NearFirst(fsys, []string{"lib/cart.rb"})
	require.True(t, ok)
	require.Equal(t, Parts{Near: "rspec --format documentation --fail-fast 'spec/cart_spec.rb'"}, parts)
	_, ok = p.NearFirst(fstest.MapFS{}, []string{"lib/cart.rb"})
	require.False(t, ok)
	for file, stem := range map[string]string{
		"lib/cart.rb": "cart", "spec/cart_spec.rb": "cart",
		"src/Cart.php": "Cart", "tests/CartTest.php": "Cart",
		"CartTests.cs": "Cart", "lib/cart.ex": "cart", "test/cart_test.exs": "cart",
	} {
		require.Equal(t, stem, testStem(file))
	}
}

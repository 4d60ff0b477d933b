package project

import "regexp"

var elixir = language{
	kind:   "elixir",
	find:   findElixir,
	isTest: isElixirTest,
	code:   regexp.MustCompile(`\.(?:exs?|erl|hrl|[hl]?eex)$`),
}

var elixirTest = regexp.MustCompile(`_test\.exs$|(?:^|/)test_helper\.exs$`)

func isElixirTest(file string, folders []string) bool {
	return elixirTest.MatchString(file) || containsAny(folders, "test", "fixtures")
}

func findElixir(t tree) Project {
	if !t.hasFile("mix.exs") {
		return Project{}
	}
	p := Project{Kind: "elixir", Build: "MIX_ENV=test mix compile"}
	if t.hasDir("test") || t.hasDir("apps") {
		p.Test = "mix test --trace"
		p.Written = "mix test"
	}
	return p
}

package environment

import (
	"regexp"
	"strings"
)

// exampleFiles are the files with a repository's own defaults, the first one that exists counts.
var exampleFiles = []string{
	".env.test", ".env.testing", ".env.ci", ".env.example", ".env.sample", ".env.dist",
}

// manifests are the files that tell whether a repository's code or its test command reads .env.
var manifests = []string{
	"package.json", "pyproject.toml", "requirements.txt", "requirements-dev.txt", "Pipfile", "Gemfile",
	"go.mod", "composer.json", "Cargo.toml", "Makefile", "mix.exs", "tox.ini",
}

// readsDotenv matches the names of the usual libraries that read .env, and commands that do.
var readsDotenv = regexp.MustCompile(`dotenv|\benviron(s)?\b|pydantic-settings|python-decouple|` +
	`--env-file|laravel/framework|(^|[\s"'/=])\.env([\s"']|$)`)

// dotenvLine matches a line of an .env file.
var dotenvLine = regexp.MustCompile(`^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$`)

// dotenvValues returns the repository's own defaults: the values of its example of an .env file, if it has no
// .env, and something in it reads one. Empty values are left out.
func dotenvValues(files Files) (values []variable) {
	if _, err := files.ReadFile(".env"); err == nil {
		return nil
	}
	var content []byte
	for _, name := range exampleFiles {
		if read, err := files.ReadFile(name); err == nil && len(read) <= maxFile {
			content = read
			break
		}
	}
	if content == nil || !expectsDotenv(files) {
		return nil
	}
	for line := range strings.Lines(string(content)) {
		m := dotenvLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		if value := unquote(m[2]); value != "" && len(values) < 200 {
			values = append(values, variable{m[1], value})
		}
	}
	return values
}

func expectsDotenv(files Files) bool {
	for _, name := range manifests {
		if content, err := files.ReadFile(name); err == nil && len(content) <= maxFile &&
			readsDotenv.Match(content) {
			return true
		}
	}
	return false
}

// unquote returns a value of an .env file without its quotes, or without the comment behind it.
func unquote(value string) string {
	for _, quote := range []string{`"`, `'`} {
		if rest, ok := strings.CutPrefix(value, quote); ok {
			inner, _, closed := strings.Cut(rest, quote)
			if closed {
				return inner
			}
		}
	}
	value, _, _ = strings.Cut(value, " #")
	return strings.TrimSpace(value)
}

package project

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

var php = language{
	kind:   "php",
	find:   findPHP,
	isTest: isPHPTest,
	code:   regexp.MustCompile(`\.(?:php|phpt|phtml|inc)$`),
}

var phpTest = regexp.MustCompile(`Test(?:Case)?\.php$|\.phpt$`)

func isPHPTest(file string, folders []string) bool {
	return phpTest.MatchString(file) || containsAny(folders, "test", "tests", "Test", "Tests", "fixtures")
}

// phpPrograms puts the programs of the installed packages on the PATH, as composer does for scripts.
const phpPrograms = `export PATH="$PWD/vendor/bin:$PATH" && `

// findPHP finds the tests of PHPUnit or Pest, of vendor/bin or as they are installed.
func findPHP(t tree) Project {
	text := t.readText("composer.json")
	settings := t.hasFile("phpunit.xml") || t.hasFile("phpunit.xml.dist") || t.hasFile("phpunit.dist.xml")
	if text == "" && !settings {
		return Project{}
	}
	p := Project{Kind: "php"}
	var manifest struct {
		Scripts map[string]any    `json:"scripts"`
		Dev     map[string]string `json:"require-dev"`
	}
	_ = json.Unmarshal([]byte(text), &manifest) // composer itself reports what is wrong
	script, _ := manifest.Scripts["test"].(string)
	script = strings.TrimPrefix(strings.TrimPrefix(script, "@php "), "vendor/bin/")
	found, ok := command.Inside(script, nil)
	runner := "phpunit"
	if manifest.Dev["pestphp/pest"] != "" {
		runner = "pest"
	}
	switch {
	case ok && found.Kind == "php" && found.Plain:
		p.From = "composer.json"
		p.Test = phpPrograms + found.Line
		p.Written = phpPrograms + found.Written
	case settings || runner == "pest" || strings.Contains(text, `"phpunit/phpunit"`):
		p.Test = phpPrograms + runner + " " + command.PHPReport
		p.Written = phpPrograms + runner
	}
	return p
}

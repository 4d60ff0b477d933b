package project

import (
	"regexp"
	"strings"
)

var dart = language{
	kind:   "dart",
	find:   findDart,
	isTest: isDartTest,
	code:   regexp.MustCompile(`\.dart$`),
}

func isDartTest(file string, folders []string) bool {
	return strings.HasSuffix(file, "_test.dart") || containsAny(folders, "test", "integration_test")
}

// findDart finds packages of Dart and of Flutter.
func findDart(t tree) Project {
	text := t.readText("pubspec.yaml")
	if text == "" {
		return Project{}
	}
	p := Project{Kind: "dart"}
	if t.hasDir("test") {
		p.Test = "dart test -r expanded"
		if strings.Contains(text, "sdk: flutter") {
			p.Test = "flutter test -r expanded --no-pub"
		}
	}
	return p
}

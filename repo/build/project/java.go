package project

import (
	"regexp"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

var java = language{
	whole:  true,
	kind:   "java",
	find:   findJava,
	isTest: isJavaTest,
	code:   regexp.MustCompile(`\.(?:java|kts?|scala|groovy)$`),
}

var javaTest = regexp.MustCompile(`(?:Tests?|TestCase|IT|Spec)\.(?:java|kt|scala|groovy)$|` +
	`(?:^|/)Test[A-Z]\w*\.java$`)

func isJavaTest(file string, folders []string) bool {
	return javaTest.MatchString(file) || containsAny(folders, "test", "tests", "testFixtures",
		"androidTest", "integrationTest")
}

// findJava finds Maven and Gradle. They run as they are installed and offline, since the wrappers fetch
// themselves, and what is needed was fetched before.
func findJava(t tree) Project {
	gradle := t.hasFile("build.gradle") || t.hasFile("build.gradle.kts") || t.hasFile("settings.gradle") ||
		t.hasFile("settings.gradle.kts")
	switch {
	case t.hasFile("pom.xml"):
		return Project{
			Kind:  "java",
			Build: "mvn -o -B -q test-compile",
			Test:  command.JavaReports + "mvn -o -B -fae test",
		}
	case gradle:
		return Project{
			Kind:  "java",
			Build: "gradle --offline --no-daemon -q testClasses",
			Test:  command.JavaReports + "gradle --offline --no-daemon --continue test",
		}
	}
	return Project{}
}

package project

import "regexp"

var dotnet = language{
	kind:   "dotnet",
	find:   findDotnet,
	isTest: isDotnetTest,
	code:   regexp.MustCompile(`\.(?:cs|fs|vb|razor|cshtml)$`),
}

var (
	dotnetTest   = regexp.MustCompile(`Tests?\.(?:cs|fs|vb)$`)
	dotnetFolder = regexp.MustCompile(`(?i)(?:^|[.])(?:unit|integration)?tests?$`)
	dotnetUnit   = regexp.MustCompile(`(?:^|/)[^/]*\.(?:sln|slnx|csproj|fsproj|vbproj)$`)
	testProject  = regexp.MustCompile(`(?i)tests?\.(?:cs|fs|vb)proj$`)
)

func isDotnetTest(file string, folders []string) bool {
	for _, folder := range folders {
		if dotnetFolder.MatchString(folder) {
			return true
		}
	}
	return dotnetTest.MatchString(file)
}

// findDotnet finds a solution or a project at the top. The packages were restored before.
func findDotnet(t tree) Project {
	if len(t.globFiles("*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj")) == 0 {
		return Project{}
	}
	p := Project{Kind: "dotnet", Build: "dotnet build --nologo -v q"}
	for _, file := range t.findFiles(dotnetUnit) {
		if testProject.MatchString(file) {
			p.Test = `dotnet test --nologo --no-restore --logger "console;verbosity=normal"`
			p.Written = "dotnet test --nologo --no-restore"
		}
	}
	return p
}

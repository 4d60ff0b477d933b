package environment

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/environment/internal/wanted"
)

// A ciJob is what a job of CI that tests says of its machine.
type ciJob struct {
	from      string
	versions  []wanted.Version
	variables []variable
	packages  []string // of Debian
}

// runsTests matches the command lines of a step that tests.
var runsTests = regexp.MustCompile(
	`(?i)\b(?:tests?|check|spec|pytest|unittest|nosetests|rspec|minitest|phpunit|pest|jest|vitest|` +
		`mocha|ava|jasmine|playwright|ctest|prove|bats|nextest|behave|tox|nox|verify|runtests(?:\.py)?)\b`)

// testJob returns the first job of CI that tests. ok is false if there is none.
func (e *Environment) testJob(files Files) (job ciJob, ok bool) {
	for _, file := range workflowFiles(files) {
		workflow := e.readYAML(files, file)
		jobs := asMap(workflow["jobs"])
		for _, name := range testFirst(jobs) {
			if job, ok = githubJob(file, workflow, asMap(jobs[name])); ok {
				return job, true
			}
		}
	}
	pipeline := e.readYAML(files, gitlabFile)
	for _, name := range testFirst(pipeline) {
		if job, ok = gitlabJob(pipeline, name); ok {
			return job, true
		}
	}
	return ciJob{}, false
}

// githubJob returns what a job of a workflow says. ok is false if none of its steps tests.
func githubJob(file string, workflow, declared map[string]any) (job ciJob, ok bool) {
	job.from = file
	matrix := asMap(asMap(declared["strategy"])["matrix"])
	first := matrixValues(matrix)
	var s source
	s.addVariables(workflow["env"], first)
	s.addVariables(declared["env"], first)
	var lines []string
	for _, entry := range asList(declared["steps"]) {
		step := asMap(entry)
		line := text(step["run"])
		lines = append(lines, line)
		if runsTests.MatchString(line) {
			ok = true
			s.addVariables(step["env"], first)
		}
		job.versions = wanted.Add(job.versions, file, actionVersions(step, matrix))
	}
	image := text(declared["container"])
	if container := asMap(declared["container"]); container != nil {
		image = text(container["image"])
	}
	job.versions = wanted.Add(job.versions, file, wanted.OfImage(fill(image, first)))
	job.variables = s.variables
	job.packages = wanted.SystemPackages(lines...)
	return job, ok
}

// setups are the usual actions that install a tool, with the input for its version.
var setups = map[string]struct{ tool, input string }{
	"setup-node": {"node", "node-version"}, "setup-python": {"python", "python-version"},
	"setup-go": {"go", "go-version"}, "setup-ruby": {"ruby", "ruby-version"},
	"setup-java": {"java", "java-version"}, "setup-php": {"php", "php-version"},
	"setup-beam": {"elixir", "elixir-version"}, "setup-dotnet": {"dotnet", "dotnet-version"},
	"rust-toolchain": {"rust", "toolchain"},
}

// actionVersions returns the version of the tool that a step installs: any of the values of a matrix will do.
func actionVersions(step, matrix map[string]any) []wanted.Version {
	action, _, _ := strings.Cut(text(step["uses"]), "@")
	setup, known := setups[path.Base(action)]
	if !known {
		return nil
	}
	var fitting []string
	for _, version := range inputValues(asMap(step["with"])[setup.input], matrix) {
		if startsVersion.MatchString(version) {
			fitting = append(fitting, version)
		}
	}
	return []wanted.Version{{Tool: setup.tool, Wants: strings.Join(fitting, " || ")}}
}

// startsVersion matches versions and ranges, but neither names such as pypy3.10 nor expressions.
var startsVersion = regexp.MustCompile(`^[v^~<>=]*\d`)

var ofMatrix = regexp.MustCompile(`^\$\{\{\s*matrix\.([\w-]+)\s*\}\}$`)

// inputValues returns the values of an input of an action: one, several lines, or those of a matrix.
func inputValues(input any, matrix map[string]any) (values []string) {
	m := ofMatrix.FindStringSubmatch(text(input))
	if m == nil {
		return strings.Fields(strings.ReplaceAll(text(input), "\n", " "))
	}
	for _, v := range asList(matrix[m[1]]) {
		values = append(values, strings.Fields(text(v))...)
	}
	for _, entry := range asList(matrix["include"]) {
		values = append(values, strings.Fields(text(asMap(entry)[m[1]]))...)
	}
	return unique(values)
}

// gitlabJob returns what a job of a pipeline says. ok is false if it does not test.
func gitlabJob(pipeline map[string]any, name string) (job ciJob, ok bool) {
	declared := asMap(pipeline[name])
	lines := append(scriptLines(declared["before_script"]), scriptLines(declared["script"])...)
	if !slices.ContainsFunc(lines, runsTests.MatchString) {
		return job, false
	}
	if declared["before_script"] == nil {
		lines = append(scriptLines(pipeline["before_script"]), lines...)
	}
	job.from = gitlabFile
	env := texts(pipeline["variables"])
	maps.Copy(env, texts(declared["variables"]))
	for _, of := range []any{declared["image"], pipeline["image"], asMap(pipeline["default"])["image"]} {
		image := text(of)
		if m := asMap(of); m != nil {
			image = text(m["name"])
		}
		image, _ = expand(image, env)
		job.versions = wanted.Add(job.versions, gitlabFile, wanted.OfImage(image))
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if value, known := expand(env[name], env); known {
			job.variables = append(job.variables, variable{name, value})
		}
	}
	job.packages = wanted.SystemPackages(lines...)
	return job, true
}

// scriptLines returns the lines of a script: one text, or a list.
func scriptLines(value any) (lines []string) {
	if line := text(value); line != "" {
		return []string{line}
	}
	for _, entry := range asList(value) {
		lines = append(lines, text(entry))
	}
	return lines
}

// onlyOfCI matches the names of variables of CI that say nothing about the tests, or may hold a secret.
var onlyOfCI = regexp.MustCompile(`(?i)colou?r|token|secret|password|api_?key|credential|codecov|coveralls|` +
	`^(GITHUB|GITLAB|CI|RUNNER|ACTIONS|DOCKER|FF|GIT|SENTRY|AWS|CACHE)_`)

// said are variables of the files that name tools.
type said struct{ ofCI, ofContainer []variable }

// findTools finds the tools, the packages of the system and the image that the files want, and returns the
// variables of the same files.
func (e *Environment) findTools(files Files, folder string) (vars said) {
	read := func(name string) string {
		content, err := files.ReadFile(name)
		if err != nil || len(content) > maxFile {
			return ""
		}
		return string(content)
	}
	list := wanted.Read(read, folder)
	container, err := wanted.ReadDevcontainer(read)
	if err != nil {
		e.note("%.150s", strings.ReplaceAll(err.Error(), "hujson: ", ""))
	}
	if container != nil {
		list = e.takeContainer(list, container)
		for _, name := range slices.Sorted(maps.Keys(container.Env)) {
			vars.ofContainer = append(vars.ofContainer, variable{name, container.Env[name]})
		}
	}
	if job, ok := e.testJob(files); ok {
		list = wanted.Add(list, job.from, job.versions)
		e.addPackages(job.from, job.packages)
		for _, v := range job.variables {
			if !onlyOfCI.MatchString(v.name) {
				vars.ofCI = append(vars.ofCI, v)
			}
		}
	}
	for _, v := range list {
		e.Tools = append(e.Tools, Tool{Name: v.Tool, Wants: v.Wants, From: v.From})
	}
	for _, name := range []string{"flake.nix", "shell.nix"} {
		if _, err := files.ReadFile(name); err == nil {
			e.note("%s describes the tools for nix, which is not used: commands use those that are installed",
				name)
		}
	}
	return vars
}

// takeContainer takes what a devcontainer.json says, and returns the list with the versions that it wants.
func (e *Environment) takeContainer(list []wanted.Version, c *wanted.Devcontainer) []wanted.Version {
	e.Image = c.Image
	e.ImageFrom = cmp.Or(c.Built, c.File)
	e.compose = c.Compose
	for _, line := range c.Left {
		e.note("%s", line)
	}
	e.addPackages(cmp.Or(c.Built, c.File), wanted.SystemPackages(c.Commands...))
	return wanted.Add(list, cmp.Or(c.Built, c.File), c.Versions)
}

// maxPackages is how many packages of the system are looked for.
const maxPackages = 100

func (e *Environment) addPackages(from string, names []string) {
	for _, name := range names {
		known := func(p SystemPackage) bool { return p.Name == name }
		if len(e.Packages) < maxPackages && !slices.ContainsFunc(e.Packages, known) {
			e.Packages = append(e.Packages, SystemPackage{name, from})
		}
	}
}

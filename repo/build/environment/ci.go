package environment

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	workflowsDir = ".github/workflows"
	gitlabFile   = ".gitlab-ci.yml"
	maxWorkflows = 30
)

// workflowFiles returns the paths of GitHub's workflows, those about tests first.
func workflowFiles(files Files) (names []string) {
	found := map[string]any{}
	for _, name := range files.ReadDir(workflowsDir) {
		if ext := path.Ext(name); ext == ".yml" || ext == ".yaml" {
			found[name] = nil
		}
	}
	for _, name := range testFirst(found) {
		names = append(names, path.Join(workflowsDir, name))
	}
	return names[:min(len(names), maxWorkflows)]
}

// readGitHub returns the services of each job of a workflow, with the variables of the job.
func (e *Environment) readGitHub(file string, workflow map[string]any) (all []source) {
	jobs := asMap(workflow["jobs"])
	for _, name := range testFirst(jobs) {
		job := asMap(jobs[name])
		declared := asMap(job["services"])
		if len(declared) == 0 {
			continue
		}
		matrix := matrixValues(asMap(asMap(job["strategy"])["matrix"]))
		var s source
		for _, alias := range testFirst(declared) {
			service := asMap(declared[alias])
			if service == nil {
				service = map[string]any{"image": declared[alias]}
			}
			d := e.declare(file, alias, fill(text(service["image"]), matrix))
			if d.kind == "" {
				continue
			}
			d.env = filled(texts(service["env"]), matrix)
			d.takePort(asList(service["ports"]))
			s.services = append(s.services, d)
		}
		if len(s.services) == 0 {
			continue
		}
		s.addVariables(workflow["env"], matrix)
		s.addVariables(job["env"], matrix)
		for _, step := range asList(job["steps"]) {
			s.addVariables(asMap(step)["env"], matrix)
		}
		all = append(all, s)
	}
	return all
}

// declare returns a service by its image. The kind is empty, and the image noted, if it is one that is not
// started.
func (e *Environment) declare(file, alias, image string) declaration {
	kind, version, name := readImage(image)
	if kind == "" && name != "" {
		e.note("%s names %q, which is not started here: %s are", file, cut(name), strings.Join(Kinds(), ", "))
	}
	return declaration{from: file, kind: kind, version: version, hosts: []string{alias}}
}

// takePort sets the port of the declaration to the published one.
func (d *declaration) takePort(mappings []any) {
	for _, m := range mappings {
		if port := publishedPort(m, usualPort[d.kind]); port != 0 {
			d.port = port
			return
		}
	}
}

// addVariables adds the variables of a map. Those with an expression that has no value here are left out.
func (s *source) addVariables(env any, matrix map[string]string) {
	values := texts(env)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := s.fillPorts(fill(values[name], matrix))
		if !strings.Contains(value, "${{") {
			s.variables = append(s.variables, variable{name, value})
		}
	}
}

// matrixValues returns the first value of each row of a matrix, by the expression that means it.
func matrixValues(matrix map[string]any) map[string]string {
	out := map[string]string{}
	for name, row := range matrix {
		for _, v := range asList(row) {
			for key, inner := range asMap(v) {
				addFirst(out, "matrix."+name+"."+key, text(inner))
				if name == "include" {
					addFirst(out, "matrix."+key, text(inner))
				}
			}
			addFirst(out, "matrix."+name, text(v))
		}
	}
	return out
}

func addFirst(values map[string]string, name, value string) {
	if values[name] == "" && value != "" {
		values[name] = value
	}
}

var expression = regexp.MustCompile(`\$\{\{\s*([^{}]*?)\s*\}\}`)

// fill replaces the expressions of a text that have a value.
func fill(s string, values map[string]string) string {
	return expression.ReplaceAllStringFunc(s, func(all string) string {
		if v, ok := values[expression.FindStringSubmatch(all)[1]]; ok {
			return v
		}
		return all
	})
}

func filled(env, values map[string]string) map[string]string {
	for name, v := range env {
		env[name] = fill(v, values)
	}
	return env
}

var portExpression = regexp.MustCompile(
	`\$\{\{\s*job\.services\.([\w-]+)\.ports(?:\[['"]?\d+['"]?\]|\.\d+)\s*\}\}`)

// fillPorts replaces expressions of the ports of the job's services.
func (s *source) fillPorts(value string) string {
	return portExpression.ReplaceAllStringFunc(value, func(all string) string {
		alias := portExpression.FindStringSubmatch(all)[1]
		for _, d := range s.services {
			if d.hosts[0] == alias {
				return d.portText()
			}
		}
		return all
	})
}

// readGitLab returns the services of a pipeline and of each job, with their variables.
func (e *Environment) readGitLab(file string, pipeline map[string]any) (all []source) {
	for _, name := range append([]string{""}, testFirst(pipeline)...) {
		job := pipeline
		if name == "default" || name == "variables" {
			continue
		}
		if name != "" {
			job = asMap(pipeline[name])
		}
		declared := asList(job["services"])
		if name == "" && declared == nil {
			declared = asList(asMap(pipeline["default"])["services"])
		}
		var s source
		env := texts(pipeline["variables"])
		maps.Copy(env, texts(job["variables"]))
		for _, entry := range declared {
			if d := e.gitlabService(file, entry, env); d.kind != "" {
				s.services = append(s.services, d)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(env)) {
			if value, ok := expand(env[name], env); ok {
				s.variables = append(s.variables, variable{name, value})
			}
		}
		if len(s.services) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// gitlabService returns a service of a job. Its host is its alias, or the image's name with "-" or "__" for
// "/".
func (e *Environment) gitlabService(file string, entry any, env map[string]string) declaration {
	image := text(entry)
	service := asMap(entry)
	if service != nil {
		image = text(service["name"])
	}
	image, _ = expand(image, env)
	bare, _, _ := strings.Cut(image, ":")
	d := e.declare(file, path.Base(bare), image)
	d.hosts = append(d.hosts, strings.ReplaceAll(bare, "/", "-"), strings.ReplaceAll(bare, "/", "__"))
	d.hosts = append(d.hosts, strings.Fields(strings.ReplaceAll(text(service["alias"]), ",", " "))...)
	d.env = maps.Clone(env)
	maps.Copy(d.env, texts(service["variables"]))
	return d
}

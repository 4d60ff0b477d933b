package environment

import (
	"maps"
	"slices"
	"strings"
)

// composeFiles are the files that are read, the one for tests first.
var composeFiles = []string{
	"docker-compose.test.yml", "docker-compose.test.yaml", "compose.test.yml", "compose.test.yaml",
	"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml",
	".devcontainer/docker-compose.yml", ".devcontainer/docker-compose.yaml", ".devcontainer/compose.yaml",
	".devcontainer/compose.yml",
}

// notUsed are the keys of a service that reach beyond it, or run something. Nothing of them is done.
var notUsed = []string{
	"privileged", "command", "entrypoint", "cap_add", "devices", "network_mode", "pid", "security_opt",
	"extends", "configs", "secrets",
}

// readCompose returns the services of a compose file, and the variables of the containers that use them.
func (e *Environment) readCompose(file string, content map[string]any) []source {
	services := asMap(content["services"])
	var s source
	var users []map[string]string
	for _, name := range testFirst(services) {
		service := asMap(services[name])
		env := texts(service["environment"])
		for key, value := range env {
			expanded, ok := expand(value, nil)
			if !ok {
				delete(env, key)
				continue
			}
			env[key] = expanded
		}
		image, _ := expand(text(service["image"]), nil)
		if kind, _, _ := readImage(image); kind == "" {
			if service["build"] == nil {
				e.declare(file, name, image) // notes it
			}
			users = append(users, env)
			continue
		}
		d := e.declare(file, name, image)
		d.env = env
		if host := text(service["container_name"]); host != "" {
			d.hosts = append(d.hosts, host)
		}
		for i, mapping := range asList(service["ports"]) {
			if expanded, ok := expand(text(mapping), nil); ok && expanded != "" {
				asList(service["ports"])[i] = expanded
			}
		}
		d.takePort(asList(service["ports"]))
		e.noteUnused(file, name, service)
		s.services = append(s.services, d)
	}
	if len(s.services) == 0 {
		return nil
	}
	for _, env := range users {
		for _, name := range slices.Sorted(maps.Keys(env)) {
			s.variables = append(s.variables, variable{name, env[name]})
		}
	}
	return []source{s}
}

// noteUnused notes what is not used of a service that is started.
func (e *Environment) noteUnused(file, name string, service map[string]any) {
	var keys []string
	for _, key := range notUsed {
		if service[key] != nil {
			keys = append(keys, key)
		}
	}
	for _, v := range asList(service["volumes"]) {
		from := text(v)
		if m := asMap(v); m != nil && text(m["type"]) == "bind" {
			from = text(m["source"])
		}
		if strings.HasPrefix(from, "/") || strings.HasPrefix(from, ".") || strings.HasPrefix(from, "~") ||
			strings.HasPrefix(from, "$") {
			keys = append(keys, "the host's folders")
			break
		}
	}
	if len(keys) > 0 {
		e.note("%s: %s starts without what the file sets for it: %s", file, cut(name),
			strings.Join(keys, ", "))
	}
}

package backend

import (
	"os"
	"path/filepath"
	"strings"
)

// phpModules is where Debian's PHP finds which of its modules it loads. Without them it has no dom, mbstring
// and xml, which PHPUnit needs.
const phpModules = "/etc/php/*/cli/conf.d/*.ini"

// modulesOfPHP returns the files like the pattern that do nothing but load a module. Others may hold settings
// such as a licence key.
func modulesOfPHP(pattern string) (files []string) {
	found, _ := filepath.Glob(pattern)
	for _, file := range found {
		if text, err := os.ReadFile(file); err == nil && onlyLoads(string(text)) {
			files = append(files, file)
		}
	}
	return files
}

// onlyLoads reports whether each line of a settings file of PHP is empty, a comment or loads a module by
// name.
func onlyLoads(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, ";") && !loadsModule(line) {
			return false
		}
	}
	return true
}

// loadsModule reports whether a setting loads a module by its name: `extension="mbstring.so"`. Commands in
// the sandbox pass through this package, so it compiles no expression for that.
func loadsModule(setting string) bool {
	key, value, _ := strings.Cut(setting, "=")
	value = strings.TrimSpace(value)
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		value = strings.TrimSuffix(quoted, `"`)
	}
	other := func(r rune) bool {
		return r != '_' && r != '.' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') &&
			(r < 'A' || r > 'Z')
	}
	return strings.TrimPrefix(strings.TrimSpace(key), "zend_") == "extension" && value != "" &&
		!strings.ContainsFunc(value, other)
}

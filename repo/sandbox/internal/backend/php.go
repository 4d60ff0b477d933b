package backend

import (
	"os"
	"path/filepath"
	"regexp"
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

var loadsModule = regexp.MustCompile(`^(?:zend_)?extension\s*=\s*"?[\w.-]+"?$`)

// onlyLoads reports whether each line of a settings file of PHP is empty, a comment or loads a module by
// name.
func onlyLoads(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, ";") && !loadsModule.MatchString(line) {
			return false
		}
	}
	return true
}

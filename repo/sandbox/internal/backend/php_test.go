package backend

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSettingsOfPHPThatAreShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"20-mbstring.ini": "; priority=20\nextension=mbstring.so\n",
		"10-opcache.ini":  "zend_extension = opcache\n\n",
		"90-apm.ini":      "extension=apm.so\napm.license=0123456789\n",
		"91-path.ini":     "extension=/opt/x/apm.so\n",
		"php.conf":        "extension=a\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	require.Equal(t, []string{filepath.Join(dir, "10-opcache.ini"), filepath.Join(dir, "20-mbstring.ini")},
		modulesOfPHP(filepath.Join(dir, "*.ini")))
}

package environment

import (
	"testing"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

func TestMain(m *testing.M) { repotest.Main(m) }

package reproduction

import (
	"testing"

	"github.com/bobbinhq/bobbin/repo/repotest"
)

func TestMain(m *testing.M) { repotest.Main(m) }

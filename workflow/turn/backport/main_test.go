package backport

import (
	"os"
	"testing"

	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(postgrestest.Main(m))
}

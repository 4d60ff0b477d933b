package backup_test

import (
	"os"
	"testing"

	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

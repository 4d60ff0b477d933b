package replicas

import (
	"os"
	"testing"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

package table

import (
	"reflect"
	"strings"
	"testing"
)

func TestHiddenGroupBy(t *testing.T) {
	table, err := Read(strings.NewReader("region,amount\nsouth,1.00\nnorth,2.00\nsouth,4.01\n,7\nsouth,0.10\nnorth,2.01\n"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.GroupBy("region")
	want := []Group{{"-", 1, 700, 700}, {"north", 2, 401, 201}, {"south", 3, 511, 100}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if first := table.Sales[0].Amount; first != 100 {
		t.Errorf("the sales were put in another order: %v comes first", first)
	}
}

func TestHiddenMedianIsRoundedHalfUp(t *testing.T) {
	for amounts, want := range map[string]Cents{"0.01\n0.02": 2, "-0.01\n-0.02": -1, "-0.01\n0.02": 1, "-0.02\n0.01": 0, "3\n1\n2\n4": 250, "5": 500} {
		table, err := Read(strings.NewReader("amount\n" + amounts + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		total := map[string]Cents{}
		for i := range table.Sales {
			table.Sales[i].Fields = []string{"x"}
		}
		groups, err := table.GroupBy("amount")
		if err != nil || len(groups) != 1 {
			t.Fatalf("%q: got %v, %v", amounts, groups, err)
		}
		if total[amounts] = groups[0].Median; total[amounts] != want {
			t.Errorf("%q: got %v, want %v", amounts, total[amounts], want)
		}
	}
}

func TestHiddenNoSuchColumn(t *testing.T) {
	table, err := Read(strings.NewReader("day,region,amount\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.GroupBy("regoin"); err == nil || !strings.Contains(err.Error(), "region") || !strings.Contains(err.Error(), "day") {
		t.Errorf("got %v", err)
	}
	if groups, err := table.GroupBy("region"); err != nil || len(groups) != 0 {
		t.Errorf("got %v, %v", groups, err)
	}
}

module rooms

go 1.24

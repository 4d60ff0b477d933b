module sales

go 1.24

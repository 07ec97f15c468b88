module example.test/native

go 1.26

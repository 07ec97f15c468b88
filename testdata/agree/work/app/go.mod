module example.test/app

go 1.26

require example.test/lib v0.0.0

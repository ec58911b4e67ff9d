[inputs: ["*.exs", "{lib,driver,test}/**/*.{ex,exs}"], line_length: 118]

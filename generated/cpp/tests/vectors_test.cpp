/// @file
/// Each line of a file of vectors: a name, a request and its answer, in hexadecimal.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "driver.hpp"

namespace {

zeps_driver::Buffer octets(const std::string& hexadecimal) {
  zeps_driver::Buffer found;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    found.push_back(static_cast<std::uint8_t>(std::stoul(hexadecimal.substr(i, 2), nullptr, 16)));
  }
  return found;
}

std::string shown(const zeps_driver::Buffer& buffer) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t octet : buffer) {
    text += digits[octet >> 4U];
    text += digits[octet & 15U];
  }
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: vectors_test REQUESTS.tsv\n";
    return 2;
  }
  std::ifstream file(arguments[1]);
  std::string line;
  int seen = 0;
  int wrong = 0;
  while (std::getline(file, line)) {
    std::istringstream columns(line);
    std::string name;
    std::string request;
    std::string wanted;
    if (!std::getline(columns, name, '\t') || !std::getline(columns, request, '\t')) {
      continue;
    }
    std::getline(columns, wanted, '\t');
    ++seen;
    const zeps_driver::Buffer sent = octets(request);
    const std::string answer = shown(zeps_driver::handle(sent));
    if (answer != wanted) {
      ++wrong;
      std::cerr << name << "\n  wanted " << wanted << "\n  got    " << answer << '\n';
    }
  }
  std::cout << seen << " vectors, " << wrong << " wrong\n";
  return seen > 0 && wrong == 0 ? 0 : 1;
}
